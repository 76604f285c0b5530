// What tests and benchmarks of the whole unit share.
export { say, replyTo } from './chat.ts'
export { runDirectoryOf, unitIdOf } from './run-directory.ts'
export { freePort, freshDirectory, release, root, startUnit, type Unit } from './unit.ts'
export { waitFor } from './wait-for.ts'
