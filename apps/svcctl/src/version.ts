// The version of this program, as its package says: that of the unit it came with.
import manifest from '../package.json' with { type: 'json' }

export const { version } = manifest
