/**
 * What programs say of a failure in other languages than English, in the form of `wordsOf`. They are data, in rows of
 * alternatives, by the letters of the languages. The first type that is found counts.
 */

import type { FailureType } from '../../failure/failure.ts';
/** A function, which bundlers can leave out. */
export const readOtherLanguages = (): readonly (readonly [type: FailureType, patterns: readonly string[]])[] => [
  [
    'server_error',
    [
      'api ?(?:调用|请求)[^。]{0,4}(?:异常|失败|出错)|请再问(?:我)?一次|系统(?:异常|错误|故障|內部)',
      '再試行|重試|稍後|重试|再试|稍候|重新(?:生成|发送|提问|提交|尝试|回答|请求|發送)',
      // Languages with Latin letters.
      'no se (?:devolvió|recibió|obtuvo|generó)[a-z ]{0,12} respuesta|aucune réponse|keine antwort',
    ],
  ],
];
/** What refuses, or asks for a change. */
export const readRefused = (): readonly string[] => [
  '无权|余额|额度|配额|欠费|充值|套餐|过期|权限|登录|认证|鉴权|密钥|令牌|参数|过长|超出(?!频率|速率|并发|请求)',
  '请(?:先|检查(?!您?的?网络)|确认|配置|设置|选择|输入|填写|更换|切换|联系|升级)|无可用(?!渠道)|無効|認証|権限',
  // Languages with Latin letters.
  'inv[aá]lid|no (?:es )?v[aá]lid|no encontrad|não encontrad|introuvable|non valide|ungültig|nicht gefunden',
];
