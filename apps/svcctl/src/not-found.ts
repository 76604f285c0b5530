// A command that there is not: people are asked whether they meant the nearest one, a pipe is told.
import { ServiceError } from '@gatehouse/contracts'
import type { Hook } from '@oclif/core'
import { wantsJson } from './command.ts'
import { findNearest } from './output/visible.ts'

const words = (id: string): string => id.replaceAll(':', ' ')

export const notFound: Hook<'command_not_found'> = async function (options) {
  if (process.stdin.isTTY && process.stdout.isTTY && !wantsJson(options.argv ?? [])) {
    const { default: ask } = await import('@oclif/plugin-not-found')
    return await ask.call(this, options)
  }
  const wanted = words(options.id)
  const near = await findNearest(
    wanted,
    options.config.commands.filter(({ hidden }) => !hidden).map(({ id }) => words(id)),
  )
  throw new ServiceError('invalid', { detail: `expected a command, got ${wanted}`, hint: `svcctl ${near ?? '--help'}` })
}
