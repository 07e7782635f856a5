#!/bin/sh
# Writes a dump of DATABASE_URL to BACKUP_DIR, then copies new media of MEDIA_LOCAL_ROOT. Deletes dumps that are older
# than BACKUP_DAYS (7). Exits with 1 if anything fails, and then keeps no unfinished dump.
set -eu
umask 077
mkdir -p "$BACKUP_DIR/media"
dump="$BACKUP_DIR/gatehouse-$(date -u +%Y%m%dT%H%M%SZ).dump"
trap 'rm -f "$dump.part"' EXIT
pg_dump --format=custom --file="$dump.part" "$DATABASE_URL"
mv "$dump.part" "$dump"
# A row without its file would be an error, but a file without a row is harmless.
cp -au "$MEDIA_LOCAL_ROOT/." "$BACKUP_DIR/media/"
find "$BACKUP_DIR" -maxdepth 1 -name 'gatehouse-*.dump' -mtime "+${BACKUP_DAYS:-7}" -delete
echo "$dump"
