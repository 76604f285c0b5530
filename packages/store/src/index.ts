// Public surface of the store.
export { toFileError } from './faults.ts'
export { openStore, type ReadOptions, readStore, type Store, type StoreOptions } from './open.ts'
export { type CopyOptions, copyStore, type RekeyOptions, rekeyStore } from './rekey.ts'
export { type FileKey, openKeyFile, openSealedKey, sealKey, sealKeyFile } from './seal.ts'
export type { Rows, Value } from './connection.ts'
export type { Transaction } from './write.ts'
