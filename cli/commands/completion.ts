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
      terminal.write(write(wordsOf(program)));
    });
}

/** What may follow after the words of a path: `agents` → `list`, `create` … */
type Words = ReadonlyMap<string, readonly string[]>;

function wordsOf(program: Command): Words {
  const words = new Map<string, readonly string[]>();
  const add = (command: Command, path: readonly string[]): void => {
    const options = [...command.options, ...(command === program ? [] : program.options)];
    const names = command.commands.map((one) => one.name());
    words.set(path.join(' '), [...names, ...options.flatMap(({ long }) => long ?? []), '--help']);
    for (const one of command.commands) add(one, [...path, one.name()]);
  };
  add(program, []);
  return words;
}

const scripts = {
  bash: (words: Words) => `_perdure() {
  local path="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] || path="\${path:+$path }$word"
  done
${lookUp(words)}
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _perdure perdure
`,
  zsh: (words: Words) => `_perdure() {
  local path_of="" word
  for word in "\${words[@]:1:$((CURRENT - 2))}"; do
    [[ $word == -* ]] || path_of="\${path_of:+$path_of }$word"
  done
  local path="$path_of"
${lookUp(words).replaceAll('words=', 'found=').replaceAll('local words', 'local found')}
  compadd -- \${=found}
}
compdef _perdure perdure
`,
  fish: (words: Words) =>
    `complete -c perdure -f
function __perdure_path
  string join ' ' (string match -v -- '-*' (commandline -opc)[2..])
end
${[...words]
  .map(([path, next]) => `complete -c perdure -n "test (__perdure_path) = '${path}'" -a '${next.join(' ')}'`)
  .join('\n')}
`,
};

/** Shell code that sets \`words\` to what may follow on \`path\`, whose last words may be arguments. */
function lookUp(words: Words): string {
  const cases = [...words].map(([path, next]) => `      "${path}") words="${next.join(' ')}" ;;`);
  return `  local words=""
  while true; do
    case "$path" in
${cases.join('\n')}
    esac
    [[ -n $words || -z $path ]] && break
    [[ $path == *" "* ]] && path="\${path% *}" || path=""
  done`;
}
