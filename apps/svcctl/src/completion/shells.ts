// Scripts that complete commands and flags. They hold every word, so that a shell asks nobody while somebody types.

/** Flags by the words of a command. */
export type Surface = Readonly<Record<string, readonly string[]>>

/** What may come next behind each row of words. */
const next = (surface: Surface): Map<string, Set<string>> => {
  const following = new Map<string, Set<string>>()
  const add = (words: string, word: string): void => {
    const known = following.get(words) ?? new Set()
    following.set(words, known.add(word))
  }
  for (const [command, flags] of Object.entries(surface)) {
    const words = command.split(' ')
    words.forEach((word, index) => add(words.slice(0, index).join(' '), word))
    flags.forEach((flag) => add(command, flag))
  }
  return following
}

const cases = (surface: Surface): string =>
  [...next(surface)].map(([words, following]) => `    '${words}') echo '${[...following].toSorted().join(' ')}' ;;`).join('\n')

const table = (surface: Surface): string => `_svcctl_next() {
  case "$1" in
${cases(surface)}
  esac
}`

const bash = (surface: Surface): string => `${table(surface)}
_svcctl() {
  local word=\${COMP_WORDS[COMP_CWORD]} at='' each
  for each in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [ -n "$(_svcctl_next "\${at:+$at }$each")" ]; then at="\${at:+$at }$each"; fi
  done
  mapfile -t COMPREPLY < <(compgen -W "$(_svcctl_next "$at")" -- "$word")
}
complete -o default -F _svcctl svcctl
`

const zsh = (surface: Surface): string => `#compdef svcctl
${table(surface)}
_svcctl() {
  local at='' each
  for each in "\${(@)words[2,CURRENT-1]}"; do
    if [ -n "$(_svcctl_next "\${at:+$at }$each")" ]; then at="\${at:+$at }$each"; fi
  done
  compadd -- \${(s: :)"$(_svcctl_next "$at")"} || _files
}
compdef _svcctl svcctl
`

const fish = (surface: Surface): string => `function __svcctl_next
  set -l at ''
  for each in (commandline -opc)[2..-1]
    set -l longer (string trim -- "$at $each")
    if test -n "$(__svcctl_words "$longer")"
      set at $longer
    end
  end
  string split ' ' -- (__svcctl_words "$at")
end
function __svcctl_words
  switch "$argv[1]"
${[...next(surface)].map(([words, following]) => `    case '${words}'\n      echo '${[...following].toSorted().join(' ')}'`).join('\n')}
  end
end
complete -c svcctl -a '(__svcctl_next)'
`

export const shells = { bash, zsh, fish } as const
