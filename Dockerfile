# A static binary with the pages in it, on an image without a shell, not run by root. The log is on
# the volume /data; every setting of docs/guide/operate.md is a variable.
FROM golang:1.26.8-bookworm@sha256:a688600ca24f8a4d3ca77f95b0dd40704a9fc787c826660eb7ba0b641b8b175d AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN go run ./httpapi/web/build/make
RUN CGO_ENABLED=0 go build -trimpath -tags webdist -ldflags='-s -w' -o /out/bin/ ./cmd/pakli ./cmd/pakli-verify && mkdir -p /out/volume && mkdir -m 0700 /out/volume/data

FROM gcr.io/distroless/static-debian12:nonroot@sha256:afa5c872c891853ca7fcf1f12c3edb23f7eeef36189728842dd51042ff57f7ab
COPY --from=build /out/bin/ /usr/local/bin/
COPY --from=build --chown=65532:65532 /out/volume/ /
ENV PAKLI_DATA=/data PAKLI_LISTEN=0.0.0.0:8080 PAKLI_LOG_FORMAT=json
USER 65532:65532
VOLUME /data
EXPOSE 8080
ENTRYPOINT ["/usr/local/bin/pakli"]
CMD ["serve"]
