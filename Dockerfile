# The API and the worker. The stores are services of their own: see docker-compose.yml.
FROM python:3.12-slim@sha256:78387bc3881b8273120a12ebe6c1ab22b018ccc2c9adf565ae1ac9b536e184ea

ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 PIP_NO_CACHE_DIR=1
WORKDIR /app
COPY requirements.lock ./
RUN pip install --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY engine engine
COPY api api
COPY cypher cypher
COPY migrations migrations
RUN pip install --no-deps --no-build-isolation --no-index -e . \
    && useradd --create-home --uid 10001 neurigraph \
    && install -d -o neurigraph /var/lib/neurigraph/cache
USER neurigraph
ENV NEURIGRAPH_CACHE=/var/lib/neurigraph/cache
EXPOSE 8420
CMD ["neurigraph", "serve"]
