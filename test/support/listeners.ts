import { readdir, readFile, readlink } from 'node:fs/promises';
import { request } from 'node:http';

/** What is answered to a request with these headers; undefined where nothing of HTTP is. */
export function statusOf(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<number | undefined> {
  return new Promise((resolve) => {
    request(url, { headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on('error', () => {
        resolve(undefined);
      })
      .end();
  });
}

/** The ports of 127.0.0.1, or of all addresses, on which a process listens. */
export async function listeningPorts(pid: number): Promise<readonly number[]> {
  const links = await readdir(`/proc/${pid}/fd`);
  const targets = await Promise.all(links.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')));
  const inodes = new Set(targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []));
  const files = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8')),
  );
  return files
    .flatMap((file) => file.split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === '0A' && inodes.has(fields[9] ?? ''))
    .map(([, local = '']) => local.split(':'))
    .filter(([address = '']) => address === '0100007F' || /^0+$/.test(address))
    .map(([, port = '']) => parseInt(port, 16));
}
