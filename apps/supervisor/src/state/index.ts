// What is done to a state as a whole: loaded late, since a unit that runs seldom needs it, and it brings SQLCipher along.
export { createBackups } from './backup/backups.ts'
export { resetAdmin } from './offline/stopped.ts'
export { restoreUnit } from './offline/stopped.ts'
export { rotateKeys } from './offline/rotate.ts'
