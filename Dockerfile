FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY client/package.json client/
RUN npm ci --ignore-scripts
COPY . .
# npm keeps TypeScript as somebody's optional peer, and the test kit is for those who install the package: neither runs here.
RUN npm run build && npm prune --omit=dev --ignore-scripts \
  && rm -rf node_modules/typescript node_modules/@gatehouse-auth dist/test dist/.*stamp dist/.tsbuildinfo
RUN npm run -s sbom > sbom.cdx.json && install -d -o 1000 -g 1000 dist/service/compiled
# Node keeps what it compiles by user: for that of the image, who cannot write there.
USER 1000:1000
RUN node scripts/compiled.mjs

FROM node:24-slim
RUN apt-get update && apt-get install -y --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
COPY --from=build /app/package.json /app/sbom.cdx.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
# A new volume takes its owner from the folder of the image: each place for a volume exists.
RUN mkdir -p /app/data/media /app/data/media-cache && chown -R node:node /app/data && chmod -R go= /app/data
RUN ln -s /app/dist/src/cli.js /usr/local/bin/gatehouse
# By number, so that a cluster can see that it is not root.
USER 1000:1000
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT ?? 8080}/health/live`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--"]
CMD ["node", "dist/service/main.cjs"]
