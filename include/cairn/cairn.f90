! SPDX-License-Identifier: BSD-3-Clause
!> The library for Fortran 2008: a module over the C calls, to be compiled with the program,
!> since every compiler has module files of its own:
!>
!>     gfortran -c $(pkg-config --variable=includedir cairn)/cairn/cairn.f90
!>
!> Calls have the names, arguments and statuses of the C headers, which are their manual.
!> Handles are type(c_ptr), c_null_ptr before they are created; texts that go in end with
!> c_null_char (cairn_c_text), those that come out are read by cairn_f_text. A communicator
!> is its Fortran handle. Arrays are given by c_loc, so they are targets; rows by 32- or
!> 64-bit integers, counted from 1 where cairn_csr%base is 1.
module cairn
    use, intrinsic :: iso_c_binding
    implicit none
    private

    public :: cairn_csr, cairn_c_text, cairn_f_text, cairn_message
    public :: cairn_version, cairn_status_text
    public :: cairn_context_create, cairn_context_create_fortran, cairn_context_destroy
    public :: cairn_context_message, cairn_context_rank, cairn_context_size
    public :: cairn_context_set_threads
    public :: cairn_format_create, cairn_format_destroy, cairn_format_text
    public :: cairn_source_read, cairn_source_destroy
    public :: cairn_tensor_create, cairn_tensor_from_rows, cairn_tensor_update
    public :: cairn_tensor_convert, cairn_tensor_write, cairn_tensor_destroy
    public :: cairn_plan_create_spmv, cairn_plan_run, cairn_plan_rows, cairn_plan_columns
    public :: cairn_plan_destroy

    integer(c_int), parameter, public :: CAIRN_OK = 0, CAIRN_BAD_COORD = -3, &
        CAIRN_BAD_SYNTAX = -6, CAIRN_IO = -9
    integer(c_int), parameter, public :: CAIRN_F64 = 0, CAIRN_F32 = 1
    integer(c_int), parameter, public :: CAIRN_COPY = 0, CAIRN_BORROW = 1
    integer(c_int), parameter, public :: CAIRN_BY_NNZ = 0, CAIRN_BY_ROWS = 1

    !> Compressed rows, as cairn/rows.h has them; as declared: no rows, 64-bit integers from
    !> 0 on, f64 values. CAIRN_CSR_BYTES is the size of the struct in C.
    integer(c_size_t), parameter :: CAIRN_CSR_BYTES = 104
    type, bind(C) :: cairn_csr
        integer(c_size_t)  :: size = CAIRN_CSR_BYTES
        integer(c_int64_t) :: global_rows = 0, global_cols = 0, first_row = 0, rows = -1
        type(c_ptr)        :: ptr = c_null_ptr, idx = c_null_ptr, val = c_null_ptr
        integer(c_int)     :: ptr_bits = 64, idx_bits = 64, base = 0
        integer(c_int)     :: dtype = CAIRN_F64, val_kind = 0, val_bits = 0
        type(c_funptr)     :: release = c_null_funptr
        type(c_ptr)        :: user = c_null_ptr
    end type cairn_csr

    interface
        function cairn_version() bind(C)
            import :: c_ptr
            type(c_ptr) :: cairn_version
        end function
        function cairn_status_text(status) bind(C)
            import :: c_ptr, c_int
            integer(c_int), value :: status
            type(c_ptr) :: cairn_status_text
        end function

        function cairn_context_create(context) bind(C)
            import :: c_ptr, c_int
            type(c_ptr), intent(inout) :: context
            integer(c_int) :: cairn_context_create
        end function
        function cairn_context_create_fortran(comm, context) bind(C)
            import :: c_ptr, c_int
            integer(c_int), value :: comm
            type(c_ptr), intent(inout) :: context
            integer(c_int) :: cairn_context_create_fortran
        end function
        subroutine cairn_context_destroy(context) bind(C)
            import :: c_ptr
            type(c_ptr), intent(inout) :: context
        end subroutine
        function cairn_context_message(context) bind(C)
            import :: c_ptr
            type(c_ptr), value :: context
            type(c_ptr) :: cairn_context_message
        end function
        function cairn_context_rank(context) bind(C)
            import :: c_ptr, c_int
            type(c_ptr), value :: context
            integer(c_int) :: cairn_context_rank
        end function
        function cairn_context_size(context) bind(C)
            import :: c_ptr, c_int
            type(c_ptr), value :: context
            integer(c_int) :: cairn_context_size
        end function
        function cairn_context_set_threads(context, threads) bind(C)
            import :: c_ptr, c_int
            type(c_ptr), value :: context
            integer(c_int), value :: threads
            integer(c_int) :: cairn_context_set_threads
        end function

        function cairn_format_create(context, text, format) bind(C)
            import :: c_ptr, c_int, c_char
            type(c_ptr), value :: context
            character(kind=c_char), intent(in) :: text(*)
            type(c_ptr), intent(inout) :: format
            integer(c_int) :: cairn_format_create
        end function
        subroutine cairn_format_destroy(format) bind(C)
            import :: c_ptr
            type(c_ptr), intent(inout) :: format
        end subroutine
        function cairn_format_text(format) bind(C)
            import :: c_ptr
            type(c_ptr), value :: format
            type(c_ptr) :: cairn_format_text
        end function

        function cairn_source_read(context, path, division, source) bind(C)
            import :: c_ptr, c_int, c_char
            type(c_ptr), value :: context
            character(kind=c_char), intent(in) :: path(*)
            integer(c_int), value :: division
            type(c_ptr), intent(inout) :: source
            integer(c_int) :: cairn_source_read
        end function
        subroutine cairn_source_destroy(source) bind(C)
            import :: c_ptr
            type(c_ptr), intent(inout) :: source
        end subroutine

        function cairn_tensor_create(source, format, dtype, tensor) bind(C)
            import :: c_ptr, c_int
            type(c_ptr), value :: source, format
            integer(c_int), value :: dtype
            type(c_ptr), intent(inout) :: tensor
            integer(c_int) :: cairn_tensor_create
        end function
        function cairn_tensor_from_rows(context, rows, mode, format, tensor) bind(C)
            import :: c_ptr, c_int, cairn_csr
            type(c_ptr), value :: context
            type(cairn_csr), intent(in) :: rows
            integer(c_int), value :: mode
            type(c_ptr), value :: format
            type(c_ptr), intent(inout) :: tensor
            integer(c_int) :: cairn_tensor_from_rows
        end function
        function cairn_tensor_update(tensor, val) bind(C)
            import :: c_ptr, c_int
            type(c_ptr), value :: tensor, val
            integer(c_int) :: cairn_tensor_update
        end function
        function cairn_tensor_convert(tensor, format, converted) bind(C)
            import :: c_ptr, c_int
            type(c_ptr), value :: tensor, format
            type(c_ptr), intent(inout) :: converted
            integer(c_int) :: cairn_tensor_convert
        end function
        function cairn_tensor_write(tensor, path, bytes) bind(C)
            import :: c_ptr, c_int, c_char, c_int64_t
            type(c_ptr), value :: tensor
            character(kind=c_char), intent(in) :: path(*)
            integer(c_int64_t), intent(inout) :: bytes
            integer(c_int) :: cairn_tensor_write
        end function
        subroutine cairn_tensor_destroy(tensor) bind(C)
            import :: c_ptr
            type(c_ptr), intent(inout) :: tensor
        end subroutine

        function cairn_plan_create_spmv(tensor, plan) bind(C)
            import :: c_ptr, c_int
            type(c_ptr), value :: tensor
            type(c_ptr), intent(inout) :: plan
            integer(c_int) :: cairn_plan_create_spmv
        end function
        !> x and y by c_loc; c_null_ptr: the plan's own.
        function cairn_plan_run(plan, x, y) bind(C)
            import :: c_ptr, c_int
            type(c_ptr), value :: plan, x, y
            integer(c_int) :: cairn_plan_run
        end function
        !> The first, from 0 on, and one past the last.
        subroutine cairn_plan_rows(plan, first, end) bind(C)
            import :: c_ptr, c_int64_t
            type(c_ptr), value :: plan
            integer(c_int64_t), intent(out) :: first, end
        end subroutine
        subroutine cairn_plan_columns(plan, first, end) bind(C)
            import :: c_ptr, c_int64_t
            type(c_ptr), value :: plan
            integer(c_int64_t), intent(out) :: first, end
        end subroutine
        subroutine cairn_plan_destroy(plan) bind(C)
            import :: c_ptr
            type(c_ptr), intent(inout) :: plan
        end subroutine
    end interface

contains

    !> A text as C has texts, blanks at its end left out.
    pure function cairn_c_text(text) result(c)
        character(*), intent(in) :: text
        character(len=len_trim(text) + 1, kind=c_char) :: c

        c = trim(text)//c_null_char
    end function

    !> A text of C's; "" for c_null_ptr.
    function cairn_f_text(c) result(text)
        type(c_ptr), intent(in) :: c
        character(:), allocatable :: text
        character(kind=c_char), pointer :: letter(:)
        integer :: n

        text = ''
        if (.not. c_associated(c)) return
        call c_f_pointer(c, letter, [huge(0)])
        n = 0
        do while (letter(n + 1) /= c_null_char)
            n = n + 1
        end do
        text = transfer(letter(1:n), repeat(' ', n))
    end function

    !> What was wrong: the context's message, or the status in words.
    function cairn_message(context, status) result(text)
        type(c_ptr), intent(in) :: context
        integer(c_int), intent(in) :: status
        character(:), allocatable :: text

        text = ''
        if (c_associated(context)) text = cairn_f_text(cairn_context_message(context))
        if (len(text) == 0) text = cairn_f_text(cairn_status_text(status))
    end function
end module cairn
