# One image for web, worker and beat; compose.yaml says which runs what.
FROM python:3.13-slim

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 \
    DJANGO_SETTINGS_MODULE=config.settings.prod PLAUDIT_VAR=/var/lib/plaudit

RUN useradd --system --uid 10001 --home-dir /var/lib/plaudit --create-home plaudit \
    && chmod 700 /var/lib/plaudit
WORKDIR /opt/plaudit

COPY requirements.txt .
RUN pip install --require-hashes -r requirements.txt

COPY . .
RUN python scripts/compile_messages.py

USER plaudit
VOLUME /var/lib/plaudit
EXPOSE 8000
CMD ["python", "-m", "config.server"]
