// The answer to an unknown command: a usage error that names the nearest one.
import { ServiceError } from '@gatehouse/contracts'
import type { Hook } from '@oclif/core'
import { findNearest } from './output/visible.ts'

const spaced = (id: string): string => id.replaceAll(':', ' ')

export const notFound: Hook<'command_not_found'> = async function (options) {
  const typed = spaced(options.id)
  const known = options.config.commands.filter(({ hidden }) => !hidden).map(({ id }) => spaced(id))
  const last = typed.split(' ').at(-1) ?? ''
  const sameVerb = known.find((id) => id.endsWith(` ${last}`))
  const near = (await findNearest(typed, known)) ?? sameVerb
  throw new ServiceError('invalid', {
    detail: `unknown command: ${typed}${near === undefined ? '' : `. Did you mean ${near}?`}`,
    hint: `svcctl ${near ?? '--help'}`,
  })
}
