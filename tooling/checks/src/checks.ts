// The order of the checks: what is cheap and tells most comes first.
import { boundaries } from './boundaries/boundaries.ts'
import { build } from './build.ts'
import type { Check } from './check.ts'
import { format } from './format.ts'
import { lint } from './lint.ts'
import { profiles } from './profiles.ts'
import { sizes } from './sizes.ts'
import { tests } from './tests.ts'
import { types } from './types.ts'
import { unused } from './unused.ts'
import { words } from './words/words.ts'

export const checks: readonly Check[] = [types, lint, format, boundaries, sizes, profiles, words, unused, build, tests]
