FROM node:20-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY studio ./studio
RUN npm ci --omit=dev && npm cache clean --force

FROM node:20-bookworm-slim AS studio
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
COPY studio ./studio
RUN npm ci

FROM node:20-bookworm-slim
# Connections to Temporal and to providers are checked against the certificates; custom tools run in the others.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates bubblewrap python3 python3-venv \
  && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
# What is built once and kept, such as the workflows' bundle, is all that a running process may write.
RUN mkdir -p node_modules/.cache && chown node:node node_modules/.cache
COPY package.json package-lock.json tsconfig.json LICENSE ./
COPY core ./core
COPY schema ./schema
COPY adapters ./adapters
COPY activities ./activities
COPY workflows ./workflows
COPY client ./client
COPY worker ./worker
COPY server ./server
COPY --from=studio /app/dist/studio ./dist/studio
USER node
EXPOSE 8283
# docker-compose.yml gives each service its command.
CMD ["node", "--import", "tsx", "server/main.ts"]
