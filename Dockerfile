# docker build --tag statusguard:0.1.0 .
# BASE_IMAGE may be any Debian or derivative with Python 3.11 or newer.
ARG BASE_IMAGE=debian:trixie-20260918-slim

FROM ${BASE_IMAGE} AS python
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends python3 \
 && rm -rf /var/lib/apt/lists/*

FROM python AS build
RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends binutils python3-venv
WORKDIR /src
COPY . .
# The build back end is pinned too: pip reads the first variable for it up to 25.2, the second one since.
ENV PIP_CONSTRAINT=/src/constraints.txt PIP_BUILD_CONSTRAINT=/src/constraints.txt PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python3 -m venv /opt/statusguard \
 && /opt/statusguard/bin/python -m pip install --no-cache-dir --no-compile --only-binary :all: '.[cel]' \
 && /opt/statusguard/bin/python -m pip uninstall --yes pip
# Some wheels hold debugging symbols, and one of cel-expr-python's holds the tree that it was built in: 50 MB together.
# The bytecode does not ask for the time of its source, which a layer may change, since no new one can be written later.
RUN find /opt/statusguard -name '*.so' -exec strip --strip-unneeded '{}' + \
 && rm -rf /opt/statusguard/lib/python3.*/site-packages/bazel-project \
 && python3 -m compileall -q --invalidation-mode unchecked-hash /opt/statusguard/lib

FROM python
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Statusguard" \
      org.opencontainers.image.description="A validating admission server that keeps Kubernetes status honest" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=build /opt/statusguard /opt/statusguard
# The user has no name, hence no home to look up; the library for Kubernetes wants one when it is imported.
ENV PATH=/opt/statusguard/bin:/usr/local/bin:/usr/bin:/bin PYTHONDONTWRITEBYTECODE=1 HOME=/
USER 65532:65532
EXPOSE 8443 8080
ENTRYPOINT ["statusguard"]
CMD ["serve"]
