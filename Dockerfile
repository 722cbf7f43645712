FROM node:20-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY studio ./studio
RUN npm ci --omit=dev && npm cache clean --force

FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Without scripts, of which one builds the studio: `npm run build` does.
RUN npm ci --ignore-scripts
COPY build.mjs tsconfig.json tsconfig.build.json ./
COPY core ./core
COPY schema ./schema
COPY adapters ./adapters
COPY activities ./activities
COPY workflows ./workflows
COPY client ./client
COPY worker ./worker
COPY server ./server
COPY stack ./stack
COPY cli ./cli
COPY studio ./studio
RUN npm run build

FROM node:20-bookworm-slim
# Connections to Temporal and to providers are checked against the certificates; custom tools run in the others.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates bubblewrap python3 python3-venv \
  && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json LICENSE ./
# As in the package that npm installs: a running process writes nothing here.
COPY --from=build /app/dist ./dist
USER node
EXPOSE 8283
# docker-compose.yml gives each service its command.
CMD ["node", "--enable-source-maps", "dist/server/main.js"]
