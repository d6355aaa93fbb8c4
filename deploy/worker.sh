#!/bin/sh
# A worker whose name is its host's, so that many can run beside each other.
set -eu
exec python -m celery --quiet -A config.celery worker --hostname "worker@$(hostname)" \
  --without-gossip --without-mingle --without-heartbeat
