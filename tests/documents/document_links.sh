#!/bin/sh
# SPDX-License-Identifier: MIT
# document_links.sh - links and paths in documents lead somewhere, README.md leads to each document, and versions agree.
set -eu
exec python3 "$top_srcdir/tests/documents/check_documents.py" "$top_srcdir"
