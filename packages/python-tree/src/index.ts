// Public surface: a pinned Python, and the wheels of a package of PyPI with what they contain. No code of a package ever runs.
export { installPython, type Python, type PythonArchive, pythonFiles } from './python.ts'
export { PythonWheel, readWheels, startFile } from './wheels.ts'
export { fetchWheels, parsePythonSpec, type PythonSpec, resolveWheels } from './resolve.ts'
export { findUv, type Uv } from './uv.ts'
