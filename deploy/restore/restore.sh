#!/bin/sh
# Restores a dump of pg_dump --format=custom into the database of DATABASE_URL. Stop all replicas first.
# Usage: restore.sh <dump>
# GATEHOUSE is the command that runs Gatehouse. Default: gatehouse
set -eu
GATEHOUSE=${GATEHOUSE:-gatehouse}
$GATEHOUSE restore begin
pg_restore --clean --if-exists --no-owner --single-transaction --dbname="$DATABASE_URL" "$1"
$GATEHOUSE restore finish
