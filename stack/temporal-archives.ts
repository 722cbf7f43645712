/** A published archive with its checksum. */
export interface PinnedArchive {
  readonly url: string;
  readonly sha256: string;
}

/** The release of the Temporal CLI that is downloaded or built where none is installed. It contains server 1.29.1. */
export const temporalVersion = '1.5.1';

/** By Node's platform and architecture. Other archives are not downloaded: nothing runs without a known checksum. */
const pins: Readonly<Record<string, readonly [name: string, sha256: string]>> = {
  'linux-x64': ['linux_amd64', 'ddc95e08b0b076efd4ea9733a3f488eb7d2be875f8834e616cd2a37358b4852d'],
  'linux-arm64': ['linux_arm64', 'bd1b0db9f18b051026de8bf6cc1505f2510f14bbb7a8b9a4a91fff46c77454f5'],
  'darwin-x64': ['darwin_amd64', 'bbb73e2a31135abe50a1f1cdb35030c42961df618e8ce9c60ae89f201540c5d9'],
  'darwin-arm64': ['darwin_arm64', 'cca01b7ea35ad56e2a328d9ae596bf716bd22313ef63c7a761c88354457c2415'],
};

const releases = 'https://github.com/temporalio/cli/releases/download';

/** The release's archive for this machine; undefined where none has a known checksum. */
export function temporalArchive(platform = `${process.platform}-${process.arch}`): PinnedArchive | undefined {
  const [name, sha256] = pins[platform] ?? [];
  if (name === undefined || sha256 === undefined) return undefined;
  return { url: `${releases}/v${temporalVersion}/temporal_cli_${temporalVersion}_${name}.tar.gz`, sha256 };
}
