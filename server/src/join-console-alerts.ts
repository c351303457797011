// Joins the choice of alerts to the logins.

import type { AlertPorts } from './console/alerts.ts'
import { demoSetting, type Foundation } from './foundation.ts'
import { changeAlertChoices, listAlertChoices } from './store/alert-choices.ts'
import { readSetting } from './store/settings.ts'

export function alertPorts({ sql, config }: Foundation): AlertPorts {
  return {
    alerts: {
      list: merchantId => listAlertChoices(sql, merchantId),
      change: (who, to) => changeAlertChoices(sql, who, to),
      // The demo merchant's mails are shown on a page, whether or not there is a relay.
      goOut: async merchantId =>
        config.mailRelay !== null ||
        (config.mode === 'sandbox' && (await readSetting(sql, demoSetting)) === merchantId),
    },
  }
}
