import { readFileSync } from 'node:fs';
import type { TemporalSettings } from './settings.js';

/** Options for both kinds of connection of the Temporal SDK. */
export interface TemporalConnectionOptions {
  readonly address: string;
  readonly tls?:
    | true
    | {
        serverNameOverride?: string;
        serverRootCACertificate?: Buffer;
        clientCertPair?: { crt: Buffer; key: Buffer };
      };
  readonly apiKey?: string;
}

/** The options of `Connection.connect` and `NativeConnection.connect`; reads the certificates' files. */
export function toConnectionOptions(temporal: TemporalSettings, address: string): TemporalConnectionOptions {
  const apiKey = temporal.apiKey === undefined ? {} : { apiKey: temporal.apiKey };
  const { tls } = temporal;
  if (tls === undefined) return { address, ...apiKey };
  const { clientCertPath, clientKeyPath, serverCaCertPath, serverName } = tls;
  const details = {
    ...(serverName === undefined ? {} : { serverNameOverride: serverName }),
    ...(serverCaCertPath === undefined ? {} : { serverRootCACertificate: readFileSync(serverCaCertPath) }),
    ...(clientCertPath === undefined || clientKeyPath === undefined
      ? {}
      : { clientCertPair: { crt: readFileSync(clientCertPath), key: readFileSync(clientKeyPath) } }),
  };
  return { address, tls: Object.keys(details).length === 0 ? true : details, ...apiKey };
}
