# firebreak alone: one static program, no shell, no package, not root. Health is asked at /-/healthy and /-/ready of the admin listener,
# from outside or by `firebreak healthcheck` (docs/deploy.md).
FROM golang:1.26.8-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -buildvcs=false -trimpath -tags timetzdata -ldflags "-s -w" -o /out/firebreak ./cmd/firebreak

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/firebreak /firebreak
USER 65532:65532
EXPOSE 9464 9465
ENTRYPOINT ["/firebreak"]
CMD ["run", "--config", "/etc/firebreak/firebreak.yml"]
