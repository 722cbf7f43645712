import { type Command, CommanderError } from 'commander';
import { exitCodes } from '../failure.js';
import type { Terminal } from '../terminal.js';

const shells = ['bash', 'zsh', 'fish'] as const;

/** `perdure completion <shell>` */
export function completionCommand(program: Command, terminal: Terminal): void {
  program
    .command('completion <shell>')
    .description(`write a completion script: ${shells.join(', ')}`)
    .addHelpText(
      'after',
      `
bash  source <(perdure completion bash)         in ~/.bashrc
zsh   source <(perdure completion zsh)          in ~/.zshrc, after compinit
fish  perdure completion fish | source          in ~/.config/fish/config.fish`,
    )
    .action((shell: string) => {
      const write = shell in scripts ? scripts[shell as keyof typeof scripts] : undefined;
      if (write === undefined) {
        throw new CommanderError(exitCodes.usage, 'perdure.shell', `There is no script for ${shell}.`);
      }
      terminal.write(write(followingsOf(program)));
    });
}

/** What may follow on the names of a command. */
interface Following {
  /** The names of the command and those above it: `agents create`; empty: nothing yet. */
  readonly path: string;
  readonly commands: readonly string[];
  readonly options: readonly string[];
  readonly takesFiles: boolean;
}

function followingsOf(program: Command): readonly Following[] {
  const common = [...program.options, program.createOption('--help')];
  const below = (command: Command, path: readonly string[]): Following[] => {
    const isOwn = command !== program;
    const options = [...(isOwn ? command.options : []), ...common];
    return [
      {
        path: path.join(' '),
        commands: command.commands.map((one) => one.name()),
        options: options.flatMap(({ long }) => long ?? []),
        takesFiles:
          command.registeredArguments.some((argument) => /^(file|folder)$/.test(argument.name())) ||
          command.options.some(({ flags }) => flags.includes('<file>')),
      },
      ...command.commands.flatMap((one) => below(one, [...path, one.name()])),
    ];
  };
  return below(program, []);
}

// Words that continue no command's names are arguments or options: they are passed over. Options are offered after a
// dash, and where nothing else can follow.
const scripts = {
  bash: (all: readonly Following[]) => `_perdure() {
  local at="" word commands="" options="" files=""
  local current="\${COMP_WORDS[COMP_CWORD]}"
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
${walk(all)}
  done
${choose(all)}
  compopt +o default 2>/dev/null
  if [[ $current == -* || -z $commands$files ]]; then commands="$options"; fi
  COMPREPLY=($(compgen -W "$commands" -- "$current"))
  if [[ -n $files && $current != -* ]]; then compopt -o default 2>/dev/null; fi
}
complete -F _perdure perdure
`,
  zsh: (all: readonly Following[]) => `_perdure() {
  local at="" word commands="" options="" files=""
  local current="\${words[CURRENT]}"
  for word in "\${words[@]:1:$((CURRENT - 2))}"; do
${walk(all)}
  done
${choose(all)}
  if [[ $current == -* || -z $commands$files ]]; then commands="$options"; fi
  compadd -- \${=commands}
  if [[ -n $files && $current != -* ]]; then _files; fi
}
compdef _perdure perdure
`,
  fish: (all: readonly Following[]) => `function __perdure_following
  set -l at ''
  set -l commands
  set -l options
  set -l files
  for word in (commandline -opc)[2..-1]
    switch (string trim -- "$at $word")
      case ${namesOf(all).map(quote).join(' ')}
        set at (string trim -- "$at $word")
    end
  end
  switch "$at"
${all
  .map(
    ({ path, commands, options, takesFiles }) => `    case ${quote(path)}
      set commands ${commands.join(' ')}
      set options ${options.join(' ')}
      set files ${takesFiles ? 'yes' : ''}`,
  )
  .join('\n')}
  end
  set -l current (commandline -ct)
  if string match -q -- '-*' "$current"; or test -z "$commands$files"
    printf '%s\\n' $options
  else if test -n "$files"
    __fish_complete_path "$current"
  else
    printf '%s\\n' $commands
  end
end
complete -c perdure -f -a '(__perdure_following)'
`,
};

function quote(text: string): string {
  return `'${text}'`;
}

function namesOf(all: readonly Following[]): readonly string[] {
  return all.flatMap(({ path }) => (path === '' ? [] : [path]));
}

/** Shell code that appends `word` to `at`, where that names a command. */
function walk(all: readonly Following[]): string {
  return `    case "\${at:+$at }$word" in
      ${namesOf(all).map(quote).join('|')}) at="\${at:+$at }$word" ;;
    esac`;
}

/** Shell code that sets what may follow on `at`. */
function choose(all: readonly Following[]): string {
  const cases = all.map(
    ({ path, commands, options, takesFiles }) =>
      `    ${quote(path)}) commands="${commands.join(' ')}" options="${options.join(' ')}" files="${takesFiles ? 'yes' : ''}" ;;`,
  );
  return ['  case "$at" in', ...cases, '  esac'].join('\n');
}
