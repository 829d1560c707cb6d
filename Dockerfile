# A static binary with the pages in it, on an image without a shell, not run by root. The log is on
# the volume /data; every setting of docs/guide/operate.md is a variable.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN go run ./httpapi/web/build/make
RUN CGO_ENABLED=0 go build -trimpath -tags webdist -ldflags='-s -w' -o /out/bin/ ./cmd/pakli ./cmd/pakli-verify && mkdir -p /out/volume && mkdir -m 0700 /out/volume/data

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /out/bin/ /usr/local/bin/
COPY --from=build --chown=65532:65532 /out/volume/ /
ENV PAKLI_DATA=/data PAKLI_LISTEN=0.0.0.0:8080 PAKLI_LOG_FORMAT=json
USER 65532:65532
VOLUME /data
EXPOSE 8080
ENTRYPOINT ["/usr/local/bin/pakli"]
CMD ["serve"]
