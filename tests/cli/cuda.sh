# SPDX-License-Identifier: BSD-3-Clause
# The command on a CUDA driver that pretends: verified products, alone and beside the
# processor, a card that is lost, and the doctor.
. "$(dirname "$0")/lib.sh"

figure a.mtx
environment="LD_LIBRARY_PATH=$DRIVERS/cuda"
expect 0 devices --devices cuda
says 'cuda:0  Fake card 0'
expect 0 run spmv a.mtx --format dia --place cuda --verify --json out.json
has out.json '"device": "cuda:0"'
has out.json '"ok": true'
has out.json '"route": "compiled"'
grep -q '"seconds_resident": [0-9]' out.json || fail "no seconds of kernels"
grep -q '"seconds_in": [0-9][^,]*, "seconds_out": [0-9]' out.json || fail "no copies"
expect 0 run spmv a.mtx --format dia --place cuda
says 'of these x in .*, kernels .*, y out '
expect 0 run spmv a.mtx --format dia --json out.json
has out.json '"seconds_resident": null'
has out.json '"seconds_in": null, "seconds_out": null'
expect 0 run spmv a.mtx --format 'hybrid<dia,ell>' --place 0=cpu,1=cuda --verify
expect 0 run spmv a.mtx --format dia --place cpu+cuda --verify
expect 0 run spmv a.mtx --format ell --devices cuda --verify

# Number, memory and version are the driver's.
environment="LD_LIBRARY_PATH=$DRIVERS/cuda FAKE_CUDA=cards=2"
expect 0 run spmv a.mtx --format dia --devices cuda:2 --place cuda:1 --verify
expect 1 run spmv a.mtx --format dia --devices cuda:3
complains '^cairn: device: cuda:2: CUDA has 2 devices here$'
environment="LD_LIBRARY_PATH=$DRIVERS/cuda FAKE_CUDA=version=11080"
expect 1 run spmv a.mtx --place cuda
complains 'this version needs one for 12.0$'

# Lost in a run: computed again, and verified; nothing is asked of it any more.
for call in 'cuGraphLaunch@2 seed=2' 'cuEventQuery@40 seed=2' 'cuMemcpyDtoHAsync_v2@2 register=no' \
    'cuLaunchKernel@4 register=no'; do
    run_as 0 env "LD_LIBRARY_PATH=$DRIVERS/cuda" \
        "FAKE_CUDA=fail=${call%% *}:719 ${call#* } log=$folder/log" \
        "$program" run spmv a.mtx --format dia --place cuda --verify
    grep -q '^late 0$' log || fail "asked after it was lost: $(tail -n 1 log)"
done
complains 'CUDA_ERROR_LAUNCH_FAILED; computed again on cpu:0'

environment="LD_LIBRARY_PATH=$DRIVERS/cuda"
run_as 0 env $environment "$program" doctor --devices cuda
says 'cuda:0 (Fake card 0): NVRTC 13.0 makes sm_90'
says 'cuda:0: copies to it reach '
finish
