// Runs one command and turns whatever it throws into words and an exit code.
import { ServiceError } from '@gatehouse/contracts'
import type { Environment } from './command.ts'
import { allCommands as table } from './dispatch/all.ts'
import { find, isTopic, type Wanted } from './dispatch/find.ts'
import { moveLeadingFlags } from './leading-flags.ts'
import { version } from './version.ts'

const help = async (id: string): Promise<void> => {
  const { widthOf } = await import('./help/text.ts')
  const width = widthOf(process.stdout)
  const command = await table[id]?.()
  const parts: string[] = []
  if (command !== undefined) parts.push((await import('./help/command.ts')).commandHelp(id, command, width))
  if (id === '' || isTopic(Object.keys(table), id)) parts.push(await (await import('./help/topic.ts')).topicHelp(table, id, width))
  process.stdout.write(parts.join('\n'))
}

const unknown = async (words: string): Promise<ServiceError> => {
  const { nearest } = await import('./dispatch/nearest.ts')
  const near = nearest(
    words,
    Object.keys(table).map((id) => id.replaceAll(':', ' ')),
  )
  const hint = near === undefined ? 'svcctl --help' : `svcctl ${near}`
  return new ServiceError('invalid', { detail: `expected a command, got ${words}`, hint })
}

const run = async (wanted: Wanted, environment: Environment): Promise<void> => {
  switch (wanted.type) {
    case 'help':
      return await help(wanted.id)
    case 'version':
      return void process.stdout.write(`svcctl ${version} node-${process.version}\n`)
    case 'unknown':
      throw await unknown(wanted.words)
    case 'command': {
      const load = table[wanted.id]
      if (load === undefined) throw await unknown(wanted.id)
      const [Class, { SvcctlCommand }] = await Promise.all([load(), import('./command.ts')])
      SvcctlCommand.environment = environment
      await new Class(wanted.argv).execute()
    }
  }
}

/** Gives the exit code. */
export const main = async (argv: readonly string[], environment: Environment): Promise<number> => {
  try {
    await run(find(Object.keys(table), moveLeadingFlags(argv)), environment)
    // A command that has a result and yet is no success says so itself.
    return Number(process.exitCode ?? 0)
  } catch (error) {
    const { exitCodeOf, failureOf, isInterrupted, render, renderJson } = await import('./output/failure.ts')
    if (isInterrupted(error)) return 130
    const { wantsJson } = await import('./command.ts')
    const failure = failureOf(error)
    process.stderr.write(wantsJson(argv) ? renderJson(failure) : render(failure, process.stderr))
    return exitCodeOf(failure)
  }
}
