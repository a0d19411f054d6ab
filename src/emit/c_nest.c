// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Loops and conditions in C: a body of one short line stands without braces.

#include "emit/c_inside.h"
#include "ir/ir_walk.h"

#include <string.h>

/// Print a block one level deeper into a text of its own.
static void print_aside(cairn_c *c, const cairn_ir_stmt *block, cairn_text *aside)
{
    cairn_c_flush(c);

    const cairn_text outer = c->text;

    cairn_text_init(&c->text, c->env);
    c->indent += 4;
    cairn_c_block(c, block);
    c->indent -= 4;
    *aside  = c->text;
    c->text = outer;
    if (aside->status != CAIRN_OK) c->text.status = aside->status;
}

/// One line of one statement, which needs no braces?
static bool is_short(const cairn_ir_stmt *block, const cairn_text *text)
{
    if (!text->data || !block || block->next) return false;
    if (block->kind == CAIRN_IR_DECLARE || block->kind == CAIRN_IR_NOTE) return false;
    return strchr(text->data, '\n') == text->data + text->length - 1;
}

/// HEAD, an opening brace and the body; the caller closes.
static void print_braced(cairn_c *c, cairn_text *head, const cairn_text *body)
{
    cairn_text_add(head, " {");
    if (head->data) cairn_c_wrap(&c->text, head->data, c->indent);
    if (head->status != CAIRN_OK) c->text.status = head->status;
    if (body->data) cairn_text_add_bytes(&c->text, body->data, body->length);
}

static void close_brace(cairn_c *c)
{
    cairn_text_add(&c->text, "%*s}\n", c->indent, "");
}

/// HEAD and the body on lines of their own.
static void print_bare(cairn_c *c, const cairn_text *head, const cairn_text *body)
{
    if (head->data) cairn_c_wrap(&c->text, head->data, c->indent);
    cairn_text_add_bytes(&c->text, body->data, body->length);
}

/// A loop: @p head is freed.
static void
print_loop(cairn_c *c, cairn_text *head, const cairn_ir_stmt *block, cairn_text *body)
{
    if (is_short(block, body)) {
        print_bare(c, head, body);
    } else {
        print_braced(c, head, body);
        close_brace(c);
    }
    if (head->status != CAIRN_OK) c->text.status = head->status;
    cairn_text_fini(head);
    cairn_text_fini(body);
}

void cairn_c_while(cairn_c *c, const cairn_ir_stmt *loop)
{
    cairn_text head, body;

    cairn_text_init(&head, c->env);
    cairn_text_add(&head, "while (");
    cairn_c_expr(c, &head, loop->a, CAIRN_C_COMMA);
    cairn_text_add(&head, ")");
    print_aside(c, loop->body, &body);
    print_loop(c, &head, loop->body, &body);
}

/// `if (c) x;` on one line where it fits.
static void print_joined(cairn_c *c, const cairn_text *head, const cairn_text *body)
{
    const size_t blanks = (size_t)c->indent + 4;

    if (head->length + body->length - 4 > CAIRN_C_COLUMNS)
        print_bare(c, head, body);
    else
        cairn_text_add(&c->text, "%*s%s %s", c->indent, "", head->data,
                       body->data + blanks);
}

/// What follows `}` of an if: `else` with all of its branches.
static void print_else(cairn_c *c, const cairn_ir_stmt *stmt)
{
    for (; stmt->other; stmt = stmt->other) {
        const bool again = stmt->other->kind == CAIRN_IR_IF && !stmt->other->next;
        cairn_text head, body;

        cairn_text_init(&head, c->env);
        cairn_text_add(&head, "} else");
        if (again) {
            cairn_text_add(&head, " if (");
            cairn_c_expr(c, &head, stmt->other->a, CAIRN_C_COMMA);
            cairn_text_add(&head, ")");
        }
        print_aside(c, again ? stmt->other->body : stmt->other, &body);
        print_braced(c, &head, &body);
        cairn_text_fini(&head);
        cairn_text_fini(&body);
        if (!again) break;
    }
}

void cairn_c_if(cairn_c *c, const cairn_ir_stmt *stmt)
{
    cairn_text head, body;

    cairn_text_init(&head, c->env);
    cairn_text_add(&head, "if (");
    cairn_c_expr(c, &head, stmt->a, CAIRN_C_COMMA);
    cairn_text_add(&head, ")");
    print_aside(c, stmt->body, &body);
    if (!stmt->other && head.data && is_short(stmt->body, &body)) {
        print_joined(c, &head, &body);
    } else {
        print_braced(c, &head, &body);
        print_else(c, stmt);
        close_brace(c);
    }
    if (head.status != CAIRN_OK) c->text.status = head.status;
    cairn_text_fini(&head);
    cairn_text_fini(&body);
}

/* Loops. */

static bool streams(const cairn_ir_stmt *stmt, void *user)
{
    (void)user;
    return stmt->kind == CAIRN_IR_STORE && stmt->stream && stmt->b->lanes > 1;
}

bool cairn_c_streams(const cairn_ir_stmt *block)
{
    return cairn_ir_any_stmt(block, streams, NULL);
}

static bool fails(const cairn_ir_stmt *stmt, void *user)
{
    (void)user;
    return stmt->kind == CAIRN_IR_RETURN;
}

/// `for (int64_t i = lo; i < hi; i++)`; the variable is in sight from here on.
static void print_head(cairn_c *c, const cairn_ir_stmt *loop, cairn_text *head)
{
    const bool        dealt  = cairn_c_is_dealt(c, loop);
    const char *const scalar = cairn_c_scalar(c, loop->var->type);
    cairn_text        lo;

    cairn_text_init(&lo, c->env);
    if (!dealt || loop->a->op != CAIRN_IR_INT || loop->a->integer != 0)
        cairn_c_expr(c, &lo, loop->a, dealt ? CAIRN_C_SUM : CAIRN_C_CONDITIONAL);
    cairn_names_push(&c->names, loop->var, loop->var->name);

    const char *const name = cairn_names_of(&c->names, loop->var);

    cairn_text_add(head, "for (%s %s = %s%s", scalar, name, lo.data ? lo.data : "",
                   dealt && lo.data ? " + " : "");
    if (dealt) cairn_text_add(head, "(%s)%s", scalar, cairn_c_dealt_begin(c, loop));
    cairn_text_add(head, "; %s < ", name);
    cairn_c_expr(c, head, loop->b, CAIRN_C_LESS + 1);
    if (dealt)
        cairn_text_add(head, "; %s += (%s)%s)", name, scalar,
                       cairn_c_dealt_step(c, loop));
    else if (loop->step == 1)
        cairn_text_add(head, "; %s++)", name);
    else
        cairn_text_add(head, "; %s += %lld)", name, (long long)loop->step);
    if (lo.status != CAIRN_OK) head->status = lo.status;
    cairn_text_fini(&lo);
}

/// Number of turns of a loop by ones.
static void print_count(cairn_c *c, cairn_text *out, const cairn_ir_stmt *loop)
{
    const bool from_zero = loop->a->op == CAIRN_IR_INT && loop->a->integer == 0;

    cairn_c_expr(c, out, loop->b, CAIRN_C_SUM);
    if (from_zero) return;
    cairn_text_add(out, " - ");
    cairn_c_expr(c, out, loop->a, CAIRN_C_PRODUCT);
}

static bool is_word(const char *text)
{
    return text[strcspn(text, " ")] == '\0';
}

/// One turn a thread, and no threads for one turn.
static void print_threads(cairn_c *c, const cairn_ir_stmt *loop)
{
    static const char pragma[] = "#pragma omp parallel for schedule(static, 1)";
    cairn_text        count;

    cairn_text_init(&count, c->env);
    print_count(c, &count, loop);

    const char *const n    = count.data ? count.data : "1";
    const char *const cast = is_word(n) ? "%s%s num_threads((int)%s) if (%s > 1)\n"
                                        : "%s%s num_threads((int)(%s)) if (%s > 1)\n";
    const bool        fits =
        sizeof pragma + 2 * strlen(n) + sizeof " num_threads((int)) if ( > 1)"
        < CAIRN_C_COLUMNS;

    cairn_text_add(&c->text, cast, pragma, fits ? "" : " \\\n   ", n, n);
    if (count.status != CAIRN_OK) c->text.status = count.status;
    cairn_text_fini(&count);
}

static void print_pragmas(cairn_c *c, const cairn_ir_stmt *loop)
{
    if (c->dialect != CAIRN_C_HOST) {
        /* 1 is said, too: cards' compilers unroll what they need not. */
        if (loop->unroll > 0)
            cairn_text_add(&c->text, "#pragma unroll %d\n", loop->unroll);
        return;
    }
    if (loop->turns == CAIRN_TURNS_THREADS) print_threads(c, loop);
    if (loop->simd && loop->turns != CAIRN_TURNS_THREADS)
        cairn_text_add(&c->text, "#pragma omp simd\n");
    if (loop->unroll > 1 && !loop->simd && loop->turns != CAIRN_TURNS_THREADS)
        cairn_text_add(&c->text, "#pragma GCC unroll %d\n", loop->unroll);
}

/// What stands before the loop itself.
static void print_before(cairn_c *c, const cairn_ir_stmt *loop)
{
    if (loop->note && loop->note[0]) {
        cairn_c_blank(c);
        cairn_c_comment(c, loop->note);
    }
    cairn_c_flush(c);
    print_pragmas(c, loop);
}

static void print_plain(cairn_c *c, const cairn_ir_stmt *loop)
{
    const int  names = c->names.count;
    cairn_text head, body;

    print_before(c, loop);
    cairn_text_init(&head, c->env);
    print_head(c, loop, &head);
    print_aside(c, loop->body, &body);
    if (cairn_c_last_barrier(c, loop))
        cairn_text_add(&body, "%*s%s;\n", c->indent + 4, "",
                       cairn_c_last_barrier(c, loop));
    print_loop(c, &head, loop->body, &body);
    cairn_names_pop(&c->names, names);
}

/// A loop of threads: what fails in a turn ends the turn, and the function behind the
/// loop; stores past the caches are done before the turn is.
static void print_parallel(cairn_c *c, const cairn_ir_stmt *loop)
{
    const int  names = c->names.count;
    const bool fail  = cairn_ir_any_stmt(loop->body, fails, NULL);
    cairn_text head, body;

    if (fail) cairn_c_begin_failing(c, loop);
    print_before(c, loop);
    c->parallel = loop;
    cairn_text_init(&head, c->env);
    print_head(c, loop, &head);
    print_aside(c, loop->body, &body);
    print_braced(c, &head, &body);
    if (fail) cairn_c_end_turn(c);
    if (cairn_c_streams(loop->body)) {
        cairn_c_need_call(c, CAIRN_C_FENCE);
        cairn_text_add(&c->text, "%*sstream_end();\n", c->indent + 4, "");
    }
    close_brace(c);
    c->parallel = NULL;
    if (fail) cairn_c_end_failing(c, loop);
    cairn_text_fini(&head);
    cairn_text_fini(&body);
    cairn_names_pop(&c->names, names);
}

void cairn_c_for(cairn_c *c, const cairn_ir_stmt *loop)
{
    if (loop->turns == CAIRN_TURNS_THREADS && !c->parallel
        && c->dialect == CAIRN_C_OPENCL)
        cairn_opencl_items(c, loop);
    else if (loop->turns == CAIRN_TURNS_THREADS && !c->parallel)
        print_parallel(c, loop);
    else
        print_plain(c, loop);
}
