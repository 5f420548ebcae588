#!/bin/sh
# SPDX-License-Identifier: MIT
# document_links.sh - every link and every path in a document leads somewhere, and README.md leads to every document.
set -eu
exec python3 "$top_srcdir/tests/documents/check_documents.py" "$top_srcdir"
