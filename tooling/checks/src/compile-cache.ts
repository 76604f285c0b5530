// Preloaded into the process of each test file: keeps compiled modules, so that the many files of a run do not compile the same ones.
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

enableCompileCache(join(import.meta.dirname, '../../../.cache/compiled'))
