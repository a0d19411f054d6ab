! SPDX-License-Identifier: BSD-3-Clause
!> The module's calls beside sums in Fortran: rows by 32- and 64-bit integers from 0 and from
!> 1 on, f64 and f32, borrowed and stored; files; texts; what is refused.
program fortran
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: error_unit
    use cairn
    implicit none

    integer, parameter :: n = 37, m = 23, most = n*m
    type(c_ptr) :: context = c_null_ptr
    real(c_double) :: dense(n, m)
    integer :: failures = 0, base
    type(cairn_csr) :: rows

    call expect(c_sizeof(rows) == rows%size, 'the size of a struct')
    call expect(cairn_context_create(context) == CAIRN_OK, 'a context')
    call expect(cairn_context_rank(context) == 0 .and. cairn_context_size(context) == 1, 'ranks')
    call expect(cairn_context_set_threads(context, 1) == CAIRN_OK, 'threads')
    call expect(index(cairn_f_text(cairn_version()), '.') > 1, 'a version')
    call random_init(.true., .true.)
    call random_number(dense)
    where (dense < 0.7) dense = 0
    do base = 0, 1
        call products(base, 'csr', CAIRN_COPY)
        call products(base, 'sell<4>', CAIRN_COPY)
        call products(base, 'hybrid<bdia<4>,csr,0.6>', CAIRN_COPY)
    end do
    call products(0, '', CAIRN_BORROW)
    call products_f32
    call files
    call refusals
    call cairn_context_destroy(context)
    call expect(.not. c_associated(context), 'what is destroyed is null')
    if (failures > 0) error stop 1
    print '(a)', 'ok'

contains

    subroutine expect(right, what)
        logical, intent(in) :: right
        character(*), intent(in) :: what

        if (right) return
        failures = failures + 1
        write (error_unit, '(2a)') 'FAILED: ', what
        if (c_associated(context)) write (error_unit, '(2a)') '    ', cairn_message(context, -1)
    end subroutine

    !> Rows by 64-bit pointers and 32-bit columns.
    subroutine compress(base, ptr, idx, val)
        integer, intent(in) :: base
        integer(c_int64_t), intent(out) :: ptr(n + 1)
        integer(c_int), intent(out) :: idx(most)
        real(c_double), intent(out) :: val(most)
        integer :: i, j, k

        k = 0
        do i = 1, n
            ptr(i) = k + base
            do j = 1, m
                if (.not. dense(i, j) > 0) cycle
                k = k + 1
                idx(k) = j - 1 + base
                val(k) = dense(i, j)
            end do
        end do
        ptr(n + 1) = k + base
    end subroutine

    function rows_of(base, ptr, idx, val) result(rows)
        integer, intent(in) :: base
        integer(c_int64_t), target, intent(in) :: ptr(n + 1)
        integer(c_int), target, intent(in) :: idx(most)
        real(c_double), target, intent(in) :: val(most)
        type(cairn_csr) :: rows

        rows%global_rows = n
        rows%global_cols = m
        rows%ptr = c_loc(ptr)
        rows%idx = c_loc(idx)
        rows%val = c_loc(val)
        rows%idx_bits = 32
        rows%base = base
    end function

    subroutine products(base, text, mode)
        integer, intent(in) :: base
        character(*), intent(in) :: text
        integer(c_int), intent(in) :: mode
        integer(c_int64_t), target :: ptr(n + 1)
        integer(c_int), target :: idx(most)
        real(c_double), target :: val(most), x(m), y(n)
        type(c_ptr) :: format, tensor, plan
        integer(c_int64_t) :: first, last

        format = c_null_ptr
        tensor = c_null_ptr
        plan = c_null_ptr
        call compress(base, ptr, idx, val)
        call random_number(x)
        if (text /= '') call expect(cairn_format_create(context, cairn_c_text(text), format) == CAIRN_OK, text)
        call expect(cairn_tensor_from_rows(context, rows_of(base, ptr, idx, val), mode, format, tensor) == CAIRN_OK, text)
        call expect(cairn_plan_create_spmv(tensor, plan) == CAIRN_OK, text)
        call cairn_plan_rows(plan, first, last)
        call expect(first == 0 .and. last == n, 'rows of '//text)
        call cairn_plan_columns(plan, first, last)
        call expect(first == 0 .and. last == m, 'columns of '//text)
        call expect(cairn_plan_run(plan, c_loc(x), c_loc(y)) == CAIRN_OK, text)
        call expect(maxval(abs(y - matmul(dense, x))) < 1e-13, 'a product in '//text)
        val = -3*val
        call expect(cairn_tensor_update(tensor, c_loc(val)) == CAIRN_OK, text)
        call expect(cairn_plan_run(plan, c_loc(x), c_loc(y)) == CAIRN_OK, text)
        call expect(maxval(abs(y + 3*matmul(dense, x))) < 1e-12, 'new values in '//text)
        call cairn_plan_destroy(plan)
        call cairn_tensor_destroy(tensor)
        call cairn_format_destroy(format)
    end subroutine

    subroutine products_f32
        integer(c_int64_t), target :: ptr(n + 1)
        integer(c_int), target :: idx(most)
        real(c_double), target :: val(most)
        real(c_float), target :: narrow(most), x(m), y(n)
        type(cairn_csr) :: rows
        type(c_ptr) :: tensor, plan

        tensor = c_null_ptr
        plan = c_null_ptr
        call compress(0, ptr, idx, val)
        narrow = real(val, c_float)
        call random_number(x)
        rows = rows_of(0, ptr, idx, val)
        rows%val = c_loc(narrow)
        rows%dtype = CAIRN_F32
        call expect(cairn_tensor_from_rows(context, rows, CAIRN_COPY, c_null_ptr, tensor) == CAIRN_OK, 'f32')
        call expect(cairn_plan_create_spmv(tensor, plan) == CAIRN_OK, 'f32')
        call expect(cairn_plan_run(plan, c_loc(x), c_loc(y)) == CAIRN_OK, 'f32')
        call expect(maxval(abs(y - matmul(real(dense, c_float), x))) < 1e-5, 'a product of f32')
        call cairn_plan_destroy(plan)
        call cairn_tensor_destroy(tensor)
    end subroutine

    !> A tensor into a file, and back in another format.
    subroutine files
        character(*), parameter :: path = 'fortran.rua'
        integer(c_int64_t), target :: ptr(n + 1)
        integer(c_int), target :: idx(most)
        real(c_double), target :: val(most), x(m), y(n)
        type(c_ptr) :: format, source, tensor, other, plan
        integer(c_int64_t) :: bytes
        integer :: unit

        format = c_null_ptr
        source = c_null_ptr
        tensor = c_null_ptr
        other = c_null_ptr
        plan = c_null_ptr
        call compress(1, ptr, idx, val)
        call random_number(x)
        call expect(cairn_tensor_from_rows(context, rows_of(1, ptr, idx, val), CAIRN_COPY, c_null_ptr, tensor) == CAIRN_OK, 'rows')
        call expect(cairn_tensor_write(tensor, cairn_c_text(path), bytes) == CAIRN_OK, 'written')
        call cairn_tensor_destroy(tensor)
        call expect(cairn_source_read(context, cairn_c_text(path), CAIRN_BY_NNZ, source) == CAIRN_OK, 'read')
        call expect(cairn_format_create(context, cairn_c_text('ell'), format) == CAIRN_OK, 'ell')
        call expect(index(cairn_f_text(cairn_format_text(format)), '#encoding<{ idx_map') == 1, 'a text')
        call expect(cairn_tensor_create(source, format, CAIRN_F64, tensor) == CAIRN_OK, 'stored')
        call cairn_format_destroy(format)
        call expect(cairn_format_create(context, cairn_c_text('csc'), format) == CAIRN_OK, 'csc')
        call expect(cairn_tensor_convert(tensor, format, other) == CAIRN_OK, 'converted')
        call expect(cairn_plan_create_spmv(other, plan) == CAIRN_OK, 'a plan')
        call expect(cairn_plan_run(plan, c_loc(x), c_loc(y)) == CAIRN_OK, 'run')
        call expect(maxval(abs(y - matmul(dense, x))) < 1e-13, 'a product from a file')
        call cairn_plan_destroy(plan)
        call cairn_tensor_destroy(other)
        call cairn_tensor_destroy(tensor)
        call cairn_source_destroy(source)
        call cairn_format_destroy(format)
        open (newunit=unit, file=path)
        close (unit, status='delete')
    end subroutine

    subroutine refusals
        integer(c_int64_t), target :: ptr(n + 1)
        integer(c_int), target :: idx(most)
        real(c_double), target :: val(most)
        type(c_ptr) :: none

        none = c_null_ptr
        call expect(cairn_format_create(context, cairn_c_text('csr<'), none) == CAIRN_BAD_SYNTAX, 'no format')
        call expect(index(cairn_message(context, CAIRN_BAD_SYNTAX), 'format:1:5') > 0, 'a message')
        call expect(cairn_source_read(context, cairn_c_text('nowhere.mtx'), CAIRN_BY_ROWS, none) == CAIRN_IO, 'no file')
        call compress(1, ptr, idx, val)
        idx(3) = m + 1
        call expect(cairn_tensor_from_rows(context, rows_of(1, ptr, idx, val), CAIRN_COPY, c_null_ptr, none) &
                    == CAIRN_BAD_COORD, 'a column outside')
        call expect(cairn_message(c_null_ptr, CAIRN_IO) == cairn_f_text(cairn_status_text(CAIRN_IO)), 'in words')
        call expect(.not. c_associated(none), 'nothing is made')
    end subroutine
end program fortran
