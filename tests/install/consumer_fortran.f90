! SPDX-License-Identifier: BSD-3-Clause
!> A program outside the tree, for find_package's cairn::fortran: a format has a text.
program consumer_fortran
    use, intrinsic :: iso_c_binding
    use cairn
    implicit none
    type(c_ptr) :: context = c_null_ptr, format = c_null_ptr
    integer(c_int) :: status

    status = cairn_context_create(context)
    if (status == CAIRN_OK) status = cairn_format_create(context, cairn_c_text('csr'), format)
    if (status /= CAIRN_OK) error stop 1
    if (index(cairn_f_text(cairn_format_text(format)), '#encoding') /= 1) error stop 2
    call cairn_format_destroy(format)
    call cairn_context_destroy(context)
end program
