// The unit, and the token for it: without them there is no first run, so both end the tour and say what to type.
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { isServiceError, ServiceError } from '@gatehouse/contracts'
import { quoted } from '../doctor/check.ts'
import { stateDirectories } from '../journal/state-directories.ts'
import { done, type Step, type Tour } from './step.ts'

export const unit: Step = {
  name: 'unit',
  take: async ({ client }) => {
    const { status } = await client.ready()
    return done(status === 'ready' ? 'answers and is ready' : 'answers, and is not ready yet')
  },
}

/** A line that names the token of this host, where this user may read it. */
const tokenLine = async ({ environment }: Tour): Promise<string> => {
  for (const directory of stateDirectories(environment)) {
    const file = join(directory, 'admin-token')
    const readable = await access(file, constants.R_OK).then(
      () => true,
      () => false,
    )
    if (readable) return `export SERVICE_API_TOKEN_FILE=${quoted(file)}`
  }
  return 'export SERVICE_API_TOKEN_FILE=FILE, a file with the token that the unit printed on one line at its first start'
}

export const token: Step = {
  name: 'token',
  take: async (tour) => {
    try {
      const { principal, open } = await tour.status()
      return done(open ? 'none is asked for: a unit for development' : `you are ${principal.name}, with the role ${principal.role}`)
    } catch (error) {
      if (!isServiceError(error) || error.code !== 'unauthorized') throw error
      throw new ServiceError('unauthorized', {
        detail: 'expected the token of this unit, got none or another',
        hint: await tokenLine(tour),
      })
    }
  },
}
