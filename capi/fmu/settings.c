/* The reader of resources/tenon.txt: keys in a fixed order, each with its numbers, and comments from # to the end of the
 * line. A number that is no integer is written as the 64 bits of its double in hexadecimal: exact, and the same whatever
 * decimal point the process of the importer has set. */
#include "settings.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"

#if defined(_WIN32)
#include <windows.h>
#endif

enum { most_numbers = 10000000 };

typedef struct reader {
  FILE* file;
  const char* wrong; /* the first thing found wrong */
} reader;

FILE* unit_open(const char* path) {
#if defined(_WIN32)
  wchar_t wide[32768];
  errno = EILSEQ; /* where the path is not UTF-8 */
  if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, 32768) == 0) return NULL;
  return _wfopen(wide, L"rb");
#else
  return fopen(path, "rb");
#endif
}

const char* unit_number(double value, char text[32]) {
  char *into = text, *from = text;
  snprintf(text, 32, "%.9g", value);
  while (*from) { /* what is neither a digit nor a sign nor a letter is the decimal point, of one byte or more */
    const size_t kept = strspn(from, "+-0123456789einfa"), point = strcspn(from + kept, "+-0123456789einfa");
    memmove(into, from, kept);
    into += kept;
    if (point > 0) *into++ = '.';
    from += kept + point;
  }
  *into = '\0';
  return text;
}

/* The next word into text; "" at the end of the file. */
static void next_word(reader* from, char* text, size_t size) {
  size_t length = 0;
  int c = getc(from->file);
  while (c == ' ' || c == '\n' || c == '\r' || c == '#') {
    if (c == '#')
      while (c != '\n' && c != EOF) c = getc(from->file);
    else
      c = getc(from->file);
  }
  for (; c != EOF && c != ' ' && c != '\n' && c != '\r'; c = getc(from->file))
    if (length + 1 < size) text[length++] = (char)c;
  text[length] = '\0';
}

static void key(reader* from, const char* name) {
  char word[64];
  next_word(from, word, sizeof word);
  if (!from->wrong && strcmp(word, name) != 0) from->wrong = "a key is missing or out of order";
}

static long integer(reader* from, long most) {
  char word[64];
  char* end = NULL;
  long value;
  next_word(from, word, sizeof word);
  value = strtol(word, &end, 10);
  if (end != word && *end == '\0' && value >= 0 && value <= most) return value;
  if (!from->wrong) from->wrong = "an integer is missing or out of range";
  return 0;
}

static double number(reader* from) {
  char word[64];
  char* end = NULL;
  uint64_t bits;
  double value;
  next_word(from, word, sizeof word);
  bits = strtoull(word, &end, 16);
  if (!from->wrong && (strlen(word) != 16 || *end != '\0'))
    from->wrong = "a number is not 16 hexadecimal digits";
  memcpy(&value, &bits, sizeof value);
  if (!from->wrong && !isfinite(value)) from->wrong = "a number is not finite";
  return value;
}

static void numbers(reader* from, double* into, size_t count) {
  for (size_t i = 0; i < count; ++i) into[i] = number(from);
}

/* Memory for what a count has announced; where there is none, the count is taken back. */
static void* array(reader* from, size_t* count, size_t size) {
  void* memory = from->wrong ? NULL : calloc(*count + 1, size);
  if (!memory) {
    *count = 0;
    if (!from->wrong) from->wrong = "there is no memory for it";
  }
  return memory;
}

static void read_body(reader* from, unit_settings* settings) {
  key(from, "token");
  next_word(from, settings->token, sizeof settings->token);
  key(from, "floating");
  settings->floating = (int32_t)integer(from, 1);
  key(from, "ignore_mimic");
  settings->ignore_mimic = (int32_t)integer(from, 1);
  key(from, "tolerant_inertias");
  settings->tolerant_inertias = (int32_t)integer(from, 1);
  key(from, "gravity");
  numbers(from, settings->gravity, 3);
  key(from, "runge_kutta");
  settings->runge_kutta = (int32_t)integer(from, 1);
  key(from, "method");
  settings->method = (int32_t)integer(from, 1000);
  key(from, "dt");
  settings->dt = number(from);
  key(from, "stabilise");
  settings->frequency = number(from);
  settings->damping_ratio = number(from);
  key(from, "contacts");
  settings->contact_count = (size_t)integer(from, most_numbers);
  settings->contacts = array(from, &settings->contact_count, sizeof *settings->contacts);
  for (size_t i = 0; i < settings->contact_count; ++i) {
    settings->contacts[i].weld = (int32_t)integer(from, 1);
    settings->contacts[i].link = (int32_t)integer(from, most_numbers);
    numbers(from, settings->contacts[i].point, 3);
  }
  key(from, "poses");
  settings->link_count = (size_t)integer(from, most_numbers);
  settings->links = array(from, &settings->link_count, sizeof *settings->links);
  for (size_t i = 0; i < settings->link_count; ++i) settings->links[i] = (int32_t)integer(from, most_numbers);
  key(from, "q");
  settings->nq = (size_t)integer(from, most_numbers);
  settings->q = array(from, &settings->nq, sizeof *settings->q);
  numbers(from, settings->q, settings->nq);
  key(from, "v");
  settings->nv = (size_t)integer(from, most_numbers);
  settings->v = array(from, &settings->nv, sizeof *settings->v);
  numbers(from, settings->v, settings->nv);
  key(from, "end");
  if (!from->wrong && !(settings->dt > 0)) from->wrong = "the step is not positive";
}

const char* unit_read_settings(const char* path, unit_settings* settings) {
  char first[64] = "";
  reader from = {unit_open(path), NULL};
  memset(settings, 0, sizeof *settings);
  if (!from.file) return strerror(errno);
  if (!fgets(first, sizeof first, from.file) || strcmp(first, UNIT_FORMAT "\n") != 0)
    from.wrong = "it does not begin with \"" UNIT_FORMAT "\": it is of another version of Tenon";
  else
    read_body(&from, settings);
  fclose(from.file);
  return from.wrong;
}

void unit_free_settings(unit_settings* settings) {
  free(settings->contacts);
  free(settings->links);
  free(settings->q);
  free(settings->v);
  memset(settings, 0, sizeof *settings);
}
