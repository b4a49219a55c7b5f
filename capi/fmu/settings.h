/* What resources/tenon.txt of a unit says: how the robot is loaded, held and moved. `tenon export fmu` writes it. */
#ifndef TENON_FMU_SETTINGS_H
#define TENON_FMU_SETTINGS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct unit_contact {
  int32_t weld; /* 1: six rows, 0: the three of a point */
  int32_t link;
  double point[3];
} unit_contact;

typedef struct unit_settings {
  char token[64]; /* instantiationToken, or guid, of the description that belongs to it */
  int32_t floating, ignore_mimic, tolerant_inertias;
  double gravity[3];
  int32_t runge_kutta, method;
  double dt;
  double frequency, damping_ratio; /* by which contacts are pulled back */
  size_t contact_count, link_count, nq, nv;
  unit_contact* contacts;
  int32_t* links; /* whose poses are outputs */
  double *q, *v;  /* at the start */
} unit_settings;

/* Opens a file, its path in UTF-8; NULL where it cannot be opened. */
FILE* unit_open(const char* path);

/* The number as text, with a point whatever decimal point the process of the importer has set. */
const char* unit_number(double value, char text[32]);

/* Reads the settings; returns NULL, or says what is wrong with the file. Free them in both cases. */
const char* unit_read_settings(const char* path, unit_settings* settings);
void unit_free_settings(unit_settings* settings);

#endif
