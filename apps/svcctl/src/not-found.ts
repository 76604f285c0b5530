// The answer to an unknown command: a usage error that names the nearest one.
import { ServiceError } from '@gatehouse/contracts'
import type { Hook } from '@oclif/core'
import { findNearest } from './output/values.ts'

const spaced = (id: string): string => id.replaceAll(':', ' ')

export const notFound: Hook<'command_not_found'> = async function (options) {
  const typed = spaced(options.id)
  const known = options.config.commands.filter(({ hidden }) => !hidden).map(({ id }) => spaced(id))
  // A word behind a command that takes none is read as part of its name.
  const command = known.filter((id) => typed.startsWith(`${id} `)).toSorted((a, b) => b.length - a.length)[0]
  const nearest = await findNearest(typed, known)
  if (command !== undefined && (nearest === undefined || nearest === command))
    throw new ServiceError('invalid', {
      detail: `unexpected argument: ${JSON.stringify(typed.slice(command.length + 1))}`,
      hint: `svcctl ${command} --help`,
    })
  const last = typed.split(' ').at(-1) ?? ''
  const sameVerb = known.find((id) => id.endsWith(` ${last}`))
  const near = nearest ?? sameVerb
  throw new ServiceError('invalid', {
    detail: `unknown command: ${typed}${near === undefined ? '' : `. Did you mean ${near}?`}`,
    hint: `svcctl ${near ?? '--help'}`,
  })
}
