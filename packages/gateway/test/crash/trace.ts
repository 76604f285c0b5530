// What a program did to the files of one directory, in order, from a recording by strace.
import { readFileSync } from 'node:fs'

export type Step =
  | { readonly act: 'create' | 'truncate-to' | 'sync' | 'remove' | 'make-directory'; readonly path: string; readonly size: number }
  | { readonly act: 'write'; readonly path: string; readonly at: number | 'end'; readonly bytes: Buffer }
  | { readonly act: 'rename'; readonly path: string; readonly to: string }
  /** A line on stdout: what the program knew to be true. */
  | { readonly act: 'say'; readonly text: string }

/** Every call that can change a file or a directory, or make a change last. */
export const recorded =
  'openat,write,pwrite64,writev,pwritev,ftruncate,truncate,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,fallocate'

const unescape = (text: string): Buffer => Buffer.from(text.replaceAll(/\\x/g, ''), 'hex')
const strings = (text: string): Buffer[] => [...text.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex = '']) => unescape(hex))
const names = (text: string): string[] => strings(text).map(String)
/** With `-y` a descriptor is followed by its path. */
const pathOf = (text: string): string =>
  (/^(?:\d+|AT_FDCWD)<([^>]*)>/.exec(text)?.[1] ?? '').replaceAll(/\\x([0-9a-f]{2})/g, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
const numbers = (text: string): number[] =>
  [...text.replaceAll(/"[^"]*"\.{0,3}/g, '').matchAll(/, (\d+)(?=,|$)/g)].map(([, digits]) => Number(digits))

/** Only lines of JSON are the program's own: what it is loaded by has a word with its helper. */
const said = (text: string): Step | undefined => (text.startsWith('{') ? { act: 'say', text } : undefined)

const toStep = (name: string, args: string): Step | undefined => {
  const path = pathOf(args)
  switch (name) {
    case 'openat': {
      const [file = ''] = names(args)
      if (args.includes('O_CREAT')) return { act: 'create', path: file, size: args.includes('O_TRUNC') ? 0 : -1 }
      return args.includes('O_TRUNC') ? { act: 'truncate-to', path: file, size: 0 } : undefined
    }
    case 'write':
    case 'writev':
      if (args.startsWith('1<')) return said(Buffer.concat(strings(args)).toString())
      return { act: 'write', path, at: 'end', bytes: Buffer.concat(strings(args)) }
    case 'pwrite64':
    case 'pwritev':
      return { act: 'write', path, at: numbers(args).at(-1) ?? 0, bytes: Buffer.concat(strings(args)) }
    case 'ftruncate':
      return { act: 'truncate-to', path, size: numbers(args).at(-1) ?? 0 }
    case 'fsync':
    case 'fdatasync':
      return { act: 'sync', path, size: 0 }
    case 'rename':
    case 'renameat':
    case 'renameat2': {
      const [from = '', to = ''] = names(args)
      return { act: 'rename', path: from, to }
    }
    case 'unlink':
    case 'unlinkat':
      return { act: 'remove', path: names(args)[0] ?? '', size: 0 }
    case 'mkdir':
    case 'mkdirat':
      return { act: 'make-directory', path: names(args)[0] ?? '', size: 0 }
    default:
      return undefined
  }
}

/** A call counts when it returned: a sync that has not returned has promised nothing. */
export const readTrace = (file: string): Step[] => {
  const steps: Step[] = []
  const open = new Map<string, string>()
  for (const line of readFileSync(file, 'latin1').split('\n')) {
    const [, thread = '', rest = ''] = /^(\d+)\s+(.*)$/.exec(line) ?? []
    const resumed = /^<\.\.\. (\w+) resumed>\s*(.*)$/.exec(rest)
    if (rest.endsWith('<unfinished ...>')) {
      open.set(thread, rest.slice(0, -'<unfinished ...>'.length).trimEnd())
      continue
    }
    const whole = resumed === null ? rest : `${open.get(thread) ?? ''}${resumed[2] ?? ''}`
    const [, name = '', args = '', result = '-1'] = /^(\w+)\((.*)\)\s+= (-?\d+)/.exec(whole) ?? []
    if (name === '' || Number(result) < 0) continue
    const step = toStep(name, args)
    if (step !== undefined) steps.push(step)
  }
  return steps
}
