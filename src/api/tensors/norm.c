// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Numbers that tell of a whole tensor: norms, and its fingerprint.

#include "comm/norm.h"

#include "api/collective_arguments.h"
#include "api/door.h"
#include "comm/fingerprint.h"

cairn_status
cairn_tensor_norm(const cairn_tensor *tensor, cairn_norm_kind kind, double *norm)
{
    CAIRN_ENTER_TOGETHER(CAIRN_CONTEXT_OF(tensor), CAIRN_GIVEN(tensor),
                         CAIRN_ONE_OF(kind, CAIRN_NORM_MAX), CAIRN_GIVEN(norm));
    cairn_comm      *comm    = tensor->context->comm;
    const bool       by_rows = kind == CAIRN_NORM_INFINITY;
    cairn_norm       summed  = {.visits = {.local = tensor->local}};
    cairn_collective same    = {0};
    int64_t          first, end;
    cairn_status     status = by_rows ? cairn_check_matrix(tensor, "norm") : CAIRN_OK;

    if (status == CAIRN_OK && by_rows) status = cairn_check_whole_rows(tensor, "norm");
    cairn_collective_int(&same, "kind", kind);
    cairn_tensor_rows(tensor, &first, &end);
    if (status == CAIRN_OK)
        status = cairn_norm_init(&summed, tensor->local, kind == CAIRN_NORM_FROBENIUS,
                                 by_rows, first, end - first);
    status = cairn_comm_agree_on(comm, status, &same);
    if (status == CAIRN_OK) status = cairn_comm_norm(comm, &summed, kind, norm);
    cairn_norm_fini(&summed);
    return status;
}

cairn_status cairn_tensor_fingerprint(const cairn_tensor *tensor,
                                      uint64_t            fingerprint[2])
{
    CAIRN_ENTER_TOGETHER(CAIRN_CONTEXT_OF(tensor), CAIRN_GIVEN(tensor),
                         CAIRN_GIVEN(fingerprint));
    return cairn_comm_fingerprint(tensor->context->comm, tensor->local, tensor->places,
                                  fingerprint);
}
