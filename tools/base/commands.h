/* SPDX-License-Identifier: MIT */
/* commands.h - the sub-commands of spoor. Each returns its exit status. */
#ifndef SPOOR_TOOLS_COMMANDS_H
#define SPOOR_TOOLS_COMMANDS_H

int record_main(int argc, char **argv);
int replay_main(int argc, char **argv);
int report_main(int argc, char **argv);
int flame_main(int argc, char **argv);
int top_main(int argc, char **argv);
int view_main(int argc, char **argv);
int graph_main(int argc, char **argv);
int tree_main(int argc, char **argv);
int tui_main(int argc, char **argv);
int order_main(int argc, char **argv);
int info_main(int argc, char **argv);
int pack_main(int argc, char **argv);
int ctl_main(int argc, char **argv);
int doctor_main(int argc, char **argv);
int config_main(int argc, char **argv);
int export_main(int argc, char **argv);
int symbols_main(int argc, char **argv);
int filters_main(int argc, char **argv);
int tracepoints_main(int argc, char **argv);

#endif
