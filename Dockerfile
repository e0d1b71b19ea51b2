# Runs the demo as an ordinary user; the report is in /home/tsmd/demo-output of the container:
#   docker build -t tsmdbench .
#   mkdir -p demo-output   # else Docker makes it, for root; the user of the container is 1000
#   docker run --rm -v "$PWD/demo-output:/home/tsmd/demo-output" tsmdbench
# Any other command: docker run --rm tsmdbench tsmdbench methods
FROM python:3.12-slim

RUN useradd --create-home --uid 1000 tsmd \
    && install -d -o tsmd -g tsmd /home/tsmd/demo-output
WORKDIR /opt/tsmdbench
COPY pyproject.toml requirements.lock README.md LICENSE ./
COPY src ./src
RUN pip install --no-cache-dir -c requirements.lock '.[all]'

USER tsmd
WORKDIR /home/tsmd
# Compiled once, when the image is made, not in every container.
ENV NUMBA_CACHE_DIR=/home/tsmd/.cache/numba \
    MPLCONFIGDIR=/home/tsmd/.cache/matplotlib
RUN tsmdbench warmup
VOLUME ["/home/tsmd/demo-output"]
CMD ["tsmdbench", "demo"]
