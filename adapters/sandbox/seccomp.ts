/**
 * The filter of system calls that bubblewrap loads before it starts a program (seccomp, `man 2 seccomp`), as the bytes of a
 * classic BPF program: instructions of eight bytes, `{ u16 code; u8 jt; u8 jf; u32 k }`, in the machine's byte order, which
 * is little-endian on both processors here.
 *
 * A call by another processor's rules ends the process: its numbers mean other calls. What is listed answers EPERM. `clone`
 * does so where it would make a namespace; `clone3` answers ENOSYS, because a filter can't read its arguments, and the C
 * library then uses `clone`.
 */
export function seccompFilter(architecture: string = process.arch): Buffer | undefined {
  const machine = machines[architecture];
  if (machine === undefined) return undefined;
  const { audit, clone, calls } = machine;
  return assemble([
    { code: load, value: architectureAt },
    { code: isEqual, value: audit, no: 'kill' },
    { code: load, value: numberAt },
    // amd64's alternative numbers (x32); arm64 has none as high.
    { code: isAtLeast, value: x32, yes: 'refuse' },
    ...Object.values(calls).map((value) => ({ code: isEqual, value, yes: 'refuse' }) as const),
    { code: isEqual, value: clone3, yes: 'absent' },
    { code: isEqual, value: clone, no: 'allow' },
    { code: load, value: firstArgumentAt },
    { code: hasBits, value: namespaces, yes: 'refuse' },
    { code: answer, value: allowed, label: 'allow' },
    { code: answer, value: refuseWith(EPERM), label: 'refuse' },
    { code: answer, value: refuseWith(ENOSYS), label: 'absent' },
    { code: answer, value: killProcess, label: 'kill' },
  ]);
}

/** The numbers of refused calls by name, for this processor. */
export function refusedCalls(architecture: string = process.arch): Readonly<Record<string, number>> {
  return machines[architecture]?.calls ?? {};
}

// From linux/bpf_common.h: the class and mode of each instruction.
const load = 0x20;
const isEqual = 0x15;
const isAtLeast = 0x35;
const hasBits = 0x45;
const answer = 0x06;
// From linux/seccomp.h: offsets in `struct seccomp_data`, and a filter's answers.
const numberAt = 0;
const architectureAt = 4;
const firstArgumentAt = 16;
const allowed = 0x7fff0000;
const killProcess = 0x80000000;
const refuseWith = (error: number): number => 0x00050000 + error;
const EPERM = 1;
const ENOSYS = 38;

const x32 = 0x40000000;
const clone3 = 435;
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const namespaces = 0x7e020000;

/** Calls added since Linux 5.0 have the same number on all processors. */
const everywhere = {
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  pidfd_getfd: 438,
  mount_setattr: 442,
  memfd_secret: 447,
  open_tree_attr: 467,
};

/** By Node's name of the processor. Numbers from asm/unistd.h, `audit` from linux/audit.h. */
const machines: Readonly<
  Record<
    string,
    { readonly audit: number; readonly clone: number; readonly calls: Readonly<Record<string, number>> }
  >
> = {
  x64: {
    audit: 0xc000003e,
    clone: 56,
    calls: {
      ...everywhere,
      ...{ memfd_create: 319, shmget: 29, shmat: 30, shmctl: 31, semget: 64, semop: 65, semctl: 66 },
      ...{ shmdt: 67, msgget: 68, msgsnd: 69, msgrcv: 70, msgctl: 71, semtimedop: 220 },
      ...{ unshare: 272, setns: 308, mount: 165, umount2: 166, pivot_root: 155, chroot: 161 },
      ...{ ptrace: 101, process_vm_readv: 310, process_vm_writev: 311, kcmp: 312, bpf: 321 },
      ...{ add_key: 248, request_key: 249, keyctl: 250, userfaultfd: 323, perf_event_open: 298 },
      ...{ kexec_load: 246, kexec_file_load: 320, init_module: 175, finit_module: 313, delete_module: 176 },
      ...{ name_to_handle_at: 303, open_by_handle_at: 304, fanotify_init: 300, quotactl: 179 },
      ...{ swapon: 167, swapoff: 168, reboot: 169, acct: 163, syslog: 103 },
    },
  },
  arm64: {
    audit: 0xc00000b7,
    clone: 220,
    calls: {
      ...everywhere,
      ...{ memfd_create: 279, shmget: 194, shmctl: 195, shmat: 196, shmdt: 197, semget: 190, semctl: 191 },
      ...{ semtimedop: 192, semop: 193, msgget: 186, msgctl: 187, msgrcv: 188, msgsnd: 189 },
      ...{ unshare: 97, setns: 268, mount: 40, umount2: 39, pivot_root: 41, chroot: 51 },
      ...{ ptrace: 117, process_vm_readv: 270, process_vm_writev: 271, kcmp: 272, bpf: 280 },
      ...{ add_key: 217, request_key: 218, keyctl: 219, userfaultfd: 282, perf_event_open: 241 },
      ...{ kexec_load: 104, kexec_file_load: 294, init_module: 105, finit_module: 273, delete_module: 106 },
      ...{ name_to_handle_at: 264, open_by_handle_at: 265, fanotify_init: 262, quotactl: 60 },
      ...{ swapon: 224, swapoff: 225, reboot: 142, acct: 89, syslog: 116 },
    },
  },
};

type Label = 'allow' | 'refuse' | 'absent' | 'kill';

/** An instruction. `yes` and `no` are a comparison's targets; absent: the next one. */
interface Instruction {
  readonly code: number;
  readonly value: number;
  readonly yes?: Label;
  readonly no?: Label;
  readonly label?: Label;
}

/** Jumps count from the next instruction and go forward only. */
function assemble(program: readonly Instruction[]): Buffer {
  const distance = (from: number, to: Label | undefined): number =>
    to === undefined ? 0 : program.findIndex(({ label }) => label === to) - from - 1;
  return Buffer.concat(
    program.map(({ code, value, yes, no }, index) => {
      const bytes = Buffer.alloc(8);
      bytes.writeUInt16LE(code, 0);
      bytes.writeUInt8(distance(index, yes), 2);
      bytes.writeUInt8(distance(index, no), 3);
      bytes.writeUInt32LE(value, 4);
      return bytes;
    }),
  );
}
