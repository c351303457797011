// Keeps what Node makes of the program's text beside the data, so that the next start finds it there: half the time, and a tenth
// less memory. Not in a folder of everybody's: whoever could write there could have us run it. Only where there is data already: a
// command that is run somewhere else leaves nothing behind.

import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join, resolve } from 'node:path'

const data = resolve(process.env.TILLBELL_DATA || './data')
if (existsSync(data)) enableCompileCache(join(data, 'compiled'))
