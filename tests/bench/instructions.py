# SPDX-License-Identifier: BSD-3-Clause
"""Instructions that storing in random formats with queries takes, as multiples of ELL's.

Usage: instructions.py BENCH_QUERIES [--formats N] [--seed N] [--only PATTERN] [--top N]
                       [--jobs N] [--save FILE] [--beside FILE]

Each format is built in a process of its own, under callgrind, and its last build is
counted: kernels are there, and layouts kept. Valgrind knows no AVX-512, so kernels are
compiled for x86-64-v3, tuned for this machine, as kernels are: that decides which loops are
done many at a time. Times depend on what else a machine does; instructions do not, but
for the few that wait. A byte that is cleared by `rep stos` counts as one.

--only PATTERN: of these formats those whose text has it.
--top N: the N functions with most instructions, by the mean of each format's shares.
--save, --beside: multiples are written to a file; an earlier file is what they are
compared with, format by format.
"""

import argparse
import concurrent.futures
import glob
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

BUILDS = 6  # from the fourth on what is small is compiled, too
SEED = 7  # the formats that the benchmark draws without one
COMPILER = '''#!/bin/sh
for a; do
    shift
    case $a in -march=native) a=-march=x86-64-v3; set -- "$@" -mtune=native;; esac
    set -- "$@" "$a"
done
exec "${CC:-gcc}" "$@"
'''


def texts(bench, formats, seed):
    """The random formats, in the order of their text."""
    command = [bench, '--formats', str(formats), '--seed', str(seed), '--rounds', '1', '--list']
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return sorted(re.findall(r'values +[0-9.]+ ns  (.*)', printed))


def name_of(prefix, line, names):
    """The name behind a prefix, which is spelt where its number comes first."""
    number, _, text = line[len(prefix):].strip().partition(' ')
    if text:
        names[number] = text
    return names[number]


def functions(path):
    """Instructions of each function itself, of one dump; what has no name is generated."""
    names, its, name, call = {}, {}, '', False
    with open(path) as lines:
        for line in lines:
            if line.startswith('cfn='):
                name_of('cfn=', line, names)
            elif line.startswith('fn='):
                name = name_of('fn=', line, names)
                if name.startswith(('0x', '???')):
                    name = 'generated'
            elif line.startswith('calls='):
                call = True
            elif line[:1].isdigit() or line[:1] in '+-*':
                if not call:
                    its[name] = its.get(name, 0) + int(line.split()[1])
                call = False
    return its


def count(bench, text):
    """Instructions of the last build, by function."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, 'out')
        subprocess.run(['valgrind', '--tool=callgrind', '--callgrind-out-file=' + out,
                        '--dump-after=cairn_tensor_create', bench, '--format', text,
                        '--rounds', str(BUILDS)], check=True, capture_output=True)
        dumps = sorted(glob.glob(out + '.*'), key=lambda d: int(d.rpartition('.')[2]))
        return functions(dumps[-1])


def print_shares(counted, top):
    """The mean of each format's shares."""
    share = {}
    for its in counted:
        for name, n in its.items():
            share[name] = share.get(name, 0) + n / sum(its.values()) / len(counted)
    for name in sorted(share, key=share.get, reverse=True)[:top]:
        print(f'{100 * share[name]:6.1f} %  {name}')


def compare(now, before):
    """Multiples of the formats that both have."""
    both = sorted(set(now) & set(before))
    ratio = sorted(now[t] / before[t] for t in both)
    print(f'{len(both)} formats, before and now: median '
          f'{statistics.median(before[t] for t in both):.2f} and '
          f'{statistics.median(now[t] for t in both):.2f}, sum '
          f'{sum(now[t] for t in both) / sum(before[t] for t in both):.3f}, best '
          f'{ratio[0]:.2f}, worst {ratio[-1]:.2f}, '
          f'{sum(r < 0.999 for r in ratio)} less, {sum(r > 1.001 for r in ratio)} more')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('bench')
    parser.add_argument('--formats', type=int, default=60)
    parser.add_argument('--seed', type=int, default=SEED)
    parser.add_argument('--top', type=int, default=0)
    parser.add_argument('--jobs', type=int, default=1)
    parser.add_argument('--only', default='.', help='formats whose text matches')
    parser.add_argument('--save')
    parser.add_argument('--beside')
    its = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        compiler = os.path.join(folder, 'gcc')
        with open(compiler, 'w') as script:
            script.write(COMPILER)
        os.chmod(compiler, 0o755)
        os.environ.update(CAIRN_CC=compiler, CAIRN_COSTS='none')
        os.environ.setdefault('CAIRN_CACHE', os.path.join(folder, 'cache'))
        formats = [t for t in texts(its.bench, its.formats, its.seed)
                   if re.search(its.only, t)]
        with concurrent.futures.ThreadPoolExecutor(its.jobs) as pool:
            counted = list(pool.map(lambda t: count(its.bench, t), ['ell'] + formats))
    ell = sum(counted[0].values())
    now = {t: sum(c.values()) / ell for t, c in zip(formats, counted[1:])}
    for text in sorted(now, key=now.get, reverse=True):
        print(f'{now[text]:8.2f}  {text}')
    print(f'ell {ell} instructions; {len(now)} random formats with queries: median '
          f'{statistics.median(now.values()):.2f} of it, slowest {max(now.values()):.1f}')
    print_shares(counted[1:], its.top)
    if its.save:
        with open(its.save, 'w') as file:
            json.dump({'ell': ell, 'multiples': now,
                       'functions': dict(zip(formats, counted[1:]))}, file)
    if its.beside:
        with open(its.beside) as file:
            compare(now, json.load(file)['multiples'])


if __name__ == '__main__':
    sys.exit(main())
