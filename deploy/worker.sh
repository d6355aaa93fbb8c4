#!/bin/sh
# A worker whose name is its host's, so that many can run beside each other. Its first word names the
# queues: a judge takes minutes to hours, so that it has a worker of its own.
set -eu
exec python -m celery --quiet -A config.celery worker -Q "${1:-default,score,audio,live}" \
  --hostname "${2:-worker}@$(hostname)" --without-gossip --without-mingle --without-heartbeat
