/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: an input is a line of a batch that stands for one problem
 * (docs/problem-language.md). The constructor answers a documented status; what it accepts is
 * executed between guard pages.
 *
 * The mutator knows the language. It takes lines of the replay batches and of the kernel tests'
 * cases, and changes dims, types, layouts, attributes and parameters, or takes them from other
 * lines. The environment: see execute.h. */
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "draw.hpp"
#include "target.hpp"
extern "C" {
#include "batch.h"
#include "problem_line.h"
}

namespace {

executor_t executor;
long problems, not_understood;

void draw_with_seed(uint64_t seed) {
    static uint8_t bytes[512]; /* more than a mutation draws */
    std::mt19937 generator((unsigned)(seed ^ seed >> 32));
    for (uint8_t &byte : bytes) byte = (uint8_t)generator();
    draw_from(bytes, sizeof bytes);
}

/* ---- lines of files ---- */

typedef std::vector<batch_line_t> pool_t;

void read_file(pool_t *pool, const std::filesystem::path &path) {
    batch_t batch = {};
    batch_line_t line;
    batch.file = fopen(path.c_str(), "r");
    if (!batch.file) return;
    while (batch_read(&batch, &line) > 0) pool->push_back(line);
    fclose(batch.file);
}

pool_t *read_pool() {
    std::vector<std::filesystem::path> files;
    for (const char *folder : {FUZZ_BATCHES, FUZZ_CASES})
        for (const auto &entry : std::filesystem::directory_iterator(folder))
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    auto *pool = new pool_t;
    for (const auto &file : files) read_file(pool, file);
    if (pool->empty()) {
        fprintf(stderr, "no lines in %s and %s\n", FUZZ_BATCHES, FUZZ_CASES);
        exit(1);
    }
    return pool;
}

/* ---- a line in parts ---- */

struct words_t {
    std::string kind, problem;
    std::vector<std::pair<std::string, std::string>> settings;

    std::string *find(const std::string &key) {
        for (auto &setting : settings)
            if (setting.first == key) return &setting.second;
        return nullptr;
    }
    void set(const std::string &key, const std::string &value) {
        if (std::string *old = find(key)) *old = value;
        else settings.emplace_back(key, value);
    }
};

words_t split(const std::string &text) {
    words_t words;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find_first_of(" \t\r\n", at), text.size());
        const std::string word = text.substr(at, end - at);
        const size_t equals = word.find('=');
        at = end + 1;
        if (word.empty()) continue;
        if (equals != std::string::npos) words.set(word.substr(0, equals), word.substr(equals + 1));
        else (words.kind.empty() ? words.kind : words.problem) = word;
    }
    return words;
}

std::string join(const words_t &words) {
    std::string text = words.kind;
    for (const auto &setting : words.settings) text += " " + setting.first + "=" + setting.second;
    return text + " " + words.problem;
}

/* A problem of a line of this kind; an empty kind: of any line. */
words_t draw_line(const std::string &kind) {
    static const pool_t *const pool = read_pool();
    std::vector<const batch_line_t *> lines;
    for (const batch_line_t &line : *pool)
        if (kind.empty() || kind == line.kind) lines.push_back(&line);
    if (lines.empty()) return {};
    const batch_line_t *line = lines[below(lines.size())];
    char text[4096];
    batch_text(line, (int64_t)below((uint64_t)line->count), text, sizeof text);
    return split(text);
}

/* ---- changes ---- */

bool is_digit(char c) {
    return isdigit((unsigned char)c) != 0;
}

/* Whether the letters before a number are those of a data type: f32, bf16, f8_e4m3. */
bool is_type(const std::string &text, size_t number) {
    size_t start = number;
    while (start > 0 && isalpha((unsigned char)text[start - 1])) start--;
    const std::string letters = text.substr(start, number - start);
    for (const char *type : {"f", "bf", "tf", "s", "u", "e", "m"})
        if (letters == type) return true;
    return false;
}

/* Where runs of digits begin, but those of data types. */
std::vector<size_t> find_numbers(const std::string &text) {
    std::vector<size_t> starts;
    for (size_t i = 0; i < text.size(); i++)
        if (is_digit(text[i]) && !(i && is_digit(text[i - 1])) && !is_type(text, i))
            starts.push_back(i);
    return starts;
}

std::string digits_at(const std::string &text, size_t at) {
    size_t end = at;
    while (end < text.size() && is_digit(text[end])) end++;
    return text.substr(at, end - at);
}

std::string draw_number(const std::string &old) {
    static const long sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 32, 33, 64, 65, 127, 300,
            1000, 65536, 2147483647, 2147483648, 4294967296};
    const long value = atol(old.c_str());
    switch (below(8)) {
    case 0: return std::to_string(value + 1);
    case 1: return std::to_string(value > 0 ? value - 1 : 0);
    case 2: return std::to_string(value / 2);
    case 3: return std::to_string(value < 100000 ? value * 2 : value);
    case 4: return std::to_string(one_of(sizes));
    default: return std::to_string(sizes[below(15)]); /* small enough to be executed */
    }
}

/* Equal numbers are mostly the same size of several tensors, so they change together. */
void change_number(std::string *text) {
    std::vector<size_t> starts = find_numbers(*text);
    if (starts.empty()) return;
    const size_t which = starts[below(starts.size())];
    const std::string old = digits_at(*text, which), now = draw_number(old);
    const bool all = below(4) != 0;
    std::reverse(starts.begin(), starts.end()); /* places before a change stay where they are */
    for (const size_t at : starts)
        if (at == which || (all && digits_at(*text, at) == old)) text->replace(at, old.size(), now);
}

/* "f32:s8" and "scales:src0:0:f32;post-ops:sum" between their separators. */
std::pair<size_t, size_t> draw_part(const std::string &text) {
    std::vector<size_t> starts = {0};
    for (size_t i = 0; i < text.size(); i++)
        if (strchr(":;+", text[i])) starts.push_back(i + 1);
    const size_t at = starts[below(starts.size())];
    return {at, std::min(text.find_first_of(":;+", at), text.size()) - at};
}

void take_part(const std::string &key, std::string *value, words_t other) {
    const std::string *from = other.find(key);
    if (!from) return;
    const auto to = draw_part(*value), part = draw_part(*from);
    value->replace(to.first, to.second, from->substr(part.first, part.second));
}

/* Both sets of attributes, one after the other. */
void add_attributes(words_t *words, words_t other) {
    const std::string *more = other.find("attr"), *old = words->find("attr");
    if (!more || *more == "none") return;
    words->set("attr", old && *old != "none" ? *old + ";" + *more : *more);
}

void swap_letters(std::string *tag) {
    if (tag->empty()) return;
    std::swap((*tag)[below(tag->size())], (*tag)[below(tag->size())]);
}

void change_setting(words_t *words) {
    if (words->settings.empty()) return;
    auto &setting = words->settings[below(words->settings.size())];
    switch (below(4)) {
    case 0: change_number(&setting.second); break;
    case 1:
        if (setting.first == "tag") swap_letters(&setting.second);
        else words->settings.erase(words->settings.begin() + (&setting - &words->settings[0]));
        break;
    default: take_part(setting.first, &setting.second, draw_line(below(4) ? words->kind : ""));
    }
}

void take_setting(words_t *words) {
    const words_t other = draw_line(words->kind);
    if (other.settings.empty()) return;
    const auto &setting = other.settings[below(other.settings.size())];
    words->set(setting.first, setting.second);
}

void change_prop(words_t *words) {
    static const char *const props[] = {
            "backward_data", "backward_weights", "backward", "forward_training"};
    words->set("prop", one_of(props));
}

void change(words_t *words) {
    switch (below(9)) {
    case 0: words->problem = draw_line(words->kind).problem; break;
    case 1: add_attributes(words, draw_line(words->kind)); break;
    case 2:
    case 3: take_setting(words); break;
    case 4:
    case 5: change_setting(words); break;
    case 6: change_prop(words); break;
    default: change_number(&words->problem);
    }
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(
        uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    draw_with_seed(seed);
    words_t words = split(std::string((const char *)data, size));
    if (words.kind.empty() || below(8) == 7 || draw_line(words.kind).kind.empty())
        words = draw_line("");
    for (uint64_t n = 1 + below(3); n > 0; n--) change(&words);
    const std::string text = join(words);
    if (text.size() > max_size) return size;
    memcpy(data, text.data(), text.size());
    return text.size();
}

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
    executor_open(&executor);
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    /* The text says nothing of how it is executed. */
    draw_with_seed(std::hash<std::string_view>()(std::string_view((const char *)data, size)));
    problems++;
    if (!problem_line_run(&executor, data, size)) not_understood++;
    return 0;
}

/* A line of the corpus that is no problem tests nothing. */
bool finish_target() {
    printf("%ld lines, %ld not understood\n", problems, not_understood);
    executor_close(&executor);
    return not_understood == 0;
}
