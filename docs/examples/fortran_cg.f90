! SPDX-License-Identifier: BSD-3-Clause
!> Conjugate gradients in Fortran over a program's own rows, numbered from 1: products in
!> diagonals, then again with new values. Build:
!>
!>     gfortran cairn.f90 fortran_cg.f90 $(pkg-config --libs cairn)
program fortran_cg
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: error_unit
    use cairn
    implicit none

    integer, parameter :: n = 200
    integer(c_int), target :: ptr(n + 1), idx(3*n)
    real(c_double), target :: val(3*n), x(n), b(n)
    type(c_ptr) :: context = c_null_ptr, format = c_null_ptr, tensor = c_null_ptr, &
        plan = c_null_ptr
    type(cairn_csr) :: rows
    integer :: step, i

    call laplacian
    rows%global_rows = n
    rows%global_cols = n
    rows%ptr = c_loc(ptr)
    rows%idx = c_loc(idx)
    rows%val = c_loc(val)
    rows%ptr_bits = 32
    rows%idx_bits = 32
    rows%base = 1

    call check(cairn_context_create(context))
    call check(cairn_format_create(context, cairn_c_text('dia'), format))
    call check(cairn_tensor_from_rows(context, rows, CAIRN_COPY, format, tensor))
    call check(cairn_plan_create_spmv(tensor, plan))
    do step = 1, 2
        val = step*val
        call check(cairn_tensor_update(tensor, c_loc(val)))
        x = [(real(i, c_double)/n, i=1, n)]
        call check(cairn_plan_run(plan, c_loc(x), c_loc(b)))
        print '(a, i0, a, i0, a)', 'step ', step, ': ', solve(b, x), ' iterations'
    end do
    call cairn_plan_destroy(plan)
    call cairn_tensor_destroy(tensor)
    call cairn_format_destroy(format)
    call cairn_context_destroy(context)

contains

    !> -u" in n points: 2 on the diagonal and -1 beside it.
    subroutine laplacian
        integer :: i, j, k

        k = 1
        do i = 1, n
            ptr(i) = k
            do j = max(1, i - 1), min(n, i + 1)
                idx(k) = j
                val(k) = merge(2, -1, i == j)
                k = k + 1
            end do
        end do
        ptr(n + 1) = k
        val(k:) = 0
    end subroutine

    !> Solve A z = b; how many iterations it took. The program ends unless z is x.
    integer function solve(b, x)
        real(c_double), intent(in) :: b(n), x(n)
        real(c_double), target :: p(n), ap(n)
        real(c_double) :: r(n), z(n), rho, before, alpha

        z = 0
        r = b
        p = r
        rho = dot_product(r, r)
        do solve = 1, 2*n
            call check(cairn_plan_run(plan, c_loc(p), c_loc(ap)))
            alpha = rho/dot_product(p, ap)
            z = z + alpha*p
            r = r - alpha*ap
            before = rho
            rho = dot_product(r, r)
            if (rho <= 1e-24*dot_product(b, b)) exit
            p = r + rho/before*p
        end do
        if (norm2(z - x) > 1e-8*norm2(x)) error stop 'the solution is wrong'
    end function

    subroutine check(status)
        integer(c_int), intent(in) :: status

        if (status == CAIRN_OK) return
        write (error_unit, '(a)') cairn_message(context, status)
        error stop 1
    end subroutine
end program fortran_cg
