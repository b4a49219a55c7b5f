/* Rollouts of one robot on many machines by MPI: each process computes its part of the tasks as a batch.
 *
 *     mpirun -n 2 ./rollouts models/iiwa14.urdf random 4096
 *     mpirun -n 2 ./rollouts models/iiwa14.urdf sweep 4096
 *
 * random: from random positions, under random torques. sweep: a grid of torques of the first two joints. A task is what
 * its number says, whoever computes it, and a batch gives a state the same bits in any company: so the bits of all
 * results, which the last line sums up, do not depend on the number of processes. tasks.py does the same. */
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon.h>

enum { block = 256, steps = 100 };

/* One process that fails ends all. */
static void stop(const char *pattern, ...) {
  va_list arguments;
  va_start(arguments, pattern);
  vfprintf(stderr, pattern, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  MPI_Abort(MPI_COMM_WORLD, 1);
  exit(1);
}

static void *memory(size_t count, size_t size) {
  void *made = calloc(count + 1, size);
  if (!made) stop("out of memory");
  return made;
}

/* The first process reads the robot, all get its text: they need not share a file system. */
static char *read_robot(const char *path, int rank, unsigned long *size) {
  char *text = NULL;
  if (rank == 0) {
    FILE *file = fopen(path, "rb");
    long length;
    if (!file) stop("%s cannot be read", path);
    fseek(file, 0, SEEK_END);
    length = ftell(file);
    rewind(file);
    *size = length < 0 ? 0 : (unsigned long)length;
    text = memory(*size, 1);
    if (fread(text, 1, *size, file) != *size) stop("%s cannot be read", path);
    fclose(file);
  }
  MPI_Bcast(size, 1, MPI_UNSIGNED_LONG, 0, MPI_COMM_WORLD);
  if (rank != 0) text = memory(*size, 1);
  MPI_Bcast(text, (int)*size, MPI_CHAR, 0, MPI_COMM_WORLD);
  return text;
}

/* A number from 0 to 1 for each number from 0 on: splitmix64 of Steele, Lea and Flood (2014). */
static double uniform(uint64_t number) {
  uint64_t z = (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

typedef struct tasks {
  int sweep;
  size_t count, side; /* side: of the grid */
  size_t nq, nv;
  tenon_workspace *workspace;
  tenon_batch *batch;
} tasks;

/* Start and torques of one task. */
static void describe(const tasks *all, size_t task, double *q, double *tau) {
  tenon_status status = all->sweep ? tenon_neutral(all->workspace, q, all->nq)
                                   : tenon_random(all->workspace, task, q, all->nq);
  if (status < 0) stop("%s", tenon_workspace_message(all->workspace));
  for (size_t i = 0; i < all->nv; ++i) {
    const size_t place = i == 0 ? task / all->side : task % all->side;
    if (!all->sweep)
      tau[i] = 10 * uniform(task * all->nv + i) - 5;
    else
      tau[i] = i < 2 && all->side > 1 ? 40 * (double)place / (double)(all->side - 1) - 20 : 0;
  }
}

/* Numbers of states, `apart` from one state to the next. */
static tenon_batch_array rows(double *data, size_t size, size_t first, size_t count, size_t apart) {
  tenon_batch_array array;
  tenon_batch_array_init(&array, sizeof array);
  array.data = data;
  array.size = size;
  array.first = first;
  array.count = count;
  array.state_stride = (ptrdiff_t)apart;
  return array;
}

/* Final q and v of the tasks from first to last, one after another. */
static void run(const tasks *all, size_t first, size_t last, double *results) {
  const size_t nq = all->nq, nv = all->nv, width = nq + nv;
  double *q = memory(block * nq, sizeof *q), *tau = memory(block * nv, sizeof *tau), *v = memory(nv, sizeof *v);
  tenon_rollout_options options;
  tenon_rollout_options_init(&options, sizeof options);
  options.steps = options.every = steps;
  for (size_t begin = first; begin < last; begin += block) {
    const size_t states = last - begin < block ? last - begin : block;
    double *ends = results + (begin - first) * width;
    const tenon_batch_array starts = rows(q, states * nq, 0, nq, nq), rest = rows(v, nv, 0, nv, 0);
    const tenon_batch_array torques = rows(tau, states * nv, 0, nv, nv);
    const tenon_batch_array q_end = rows(ends, states * width, 0, nq, width);
    const tenon_batch_array v_end = rows(ends, states * width, nq, nv, width);
    for (size_t i = 0; i < states; ++i) describe(all, begin + i, q + i * nq, tau + i * nv);
    if (tenon_batch_rollout(all->batch, &options, states, &starts, &rest, &torques, NULL, &q_end, &v_end, NULL, 0) <
        0)
      stop("task %lu and on: %s", (unsigned long)begin, tenon_batch_message(all->batch));
  }
  free(q);
  free(tau);
  free(v);
}

/* FNV-1a of all bytes. */
static uint64_t digest(const double *numbers, size_t count) {
  const unsigned char *bytes = (const unsigned char *)numbers;
  uint64_t sum = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < count * sizeof *numbers; ++i) sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
  return sum;
}

static void report(const char *robot, const tasks *all, int processes, double seconds, const double *results) {
  const size_t width = all->nq + all->nv;
  size_t fastest = 0;
  double speed = 0;
  for (size_t i = 0; i < all->count; ++i)
    for (size_t j = all->nq; j < width; ++j) {
      const double here = results[i * width + j] < 0 ? -results[i * width + j] : results[i * width + j];
      if (here > speed) speed = here, fastest = i;
    }
  printf("%s: %lu tasks of %d steps, %d processes, %.3f s, %.3g steps a second\n", robot, (unsigned long)all->count,
         (int)steps, processes, seconds, (double)all->count * steps / seconds);
  printf("the fastest joint is that of task %lu, %.6f rad/s\n", (unsigned long)fastest, speed);
  printf("bits %016llx\n", (unsigned long long)digest(results, all->count * width));
}

int main(int argc, char **argv) {
  char message[512] = "";
  int rank = 0, processes = 1;
  unsigned long size = 0;
  tenon_model *model = NULL;
  tasks all;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  if (argc != 4 || (strcmp(argv[2], "random") != 0 && strcmp(argv[2], "sweep") != 0) || atol(argv[3]) < 1)
    stop("usage: rollouts ROBOT.urdf random|sweep COUNT");
  memset(&all, 0, sizeof all);
  all.sweep = strcmp(argv[2], "sweep") == 0;
  all.count = (size_t)atol(argv[3]);
  while ((all.side + 1) * (all.side + 1) <= all.count) ++all.side;

  char *text = read_robot(argv[1], rank, &size);
  if (tenon_model_parse_urdf(text, size, NULL, &model, message, sizeof message) < 0 ||
      tenon_workspace_create(model, NULL, NULL, &all.workspace, message, sizeof message) < 0 ||
      tenon_batch_create(model, NULL, NULL, &all.batch, message, sizeof message) < 0)
    stop("%s", message);
  all.nq = (size_t)tenon_model_nq(model);
  all.nv = (size_t)tenon_model_nv(model);

  /* Contiguous parts: process p has the tasks from count p / processes on. */
  const size_t width = all.nq + all.nv;
  const size_t first = all.count * (size_t)rank / (size_t)processes;
  const size_t last = all.count * ((size_t)rank + 1) / (size_t)processes;
  double *mine = memory((last - first) * width, sizeof *mine), *results = NULL;
  int *counts = memory((size_t)processes, sizeof *counts), *offsets = memory((size_t)processes, sizeof *offsets);
  for (int p = 0; p < processes; ++p) {
    const size_t begin = all.count * (size_t)p / (size_t)processes;
    const size_t end = all.count * ((size_t)p + 1) / (size_t)processes;
    offsets[p] = (int)(begin * width);
    counts[p] = (int)((end - begin) * width);
  }
  if (rank == 0) results = memory(all.count * width, sizeof *results);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  run(&all, first, last, mine);
  MPI_Gatherv(mine, counts[rank], MPI_DOUBLE, results, counts, offsets, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == 0) report(tenon_model_name(model), &all, processes, MPI_Wtime() - start, results);

  free(mine);
  free(results);
  free(counts);
  free(offsets);
  free(text);
  tenon_batch_destroy(all.batch);
  tenon_workspace_destroy(all.workspace);
  tenon_model_destroy(model);
  MPI_Finalize();
  return 0;
}
