/* SPDX-License-Identifier: Apache-2.0 */
/* What operations have in common. */
#include "plan/op.h"

#include "core/strings.h"
#include "core/strings_enum.h"

int format_alg(const pd_t *pd, char *buf, size_t size) {
    text_t text = text_start(buf, size);
    text_add(&text, "alg:%s", enum_name(NAMES_ALG_KIND, (int)pd->params.alg_kind));
    return text.len;
}
