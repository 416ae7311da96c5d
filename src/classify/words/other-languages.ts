/**
 * What programs say of a failure in other languages than English, in the form of `wordsOf`. They are data, in rows of
 * alternatives, by the letters of the languages. The first type that is found counts.
 */

import type { FailureType } from '../../failure/failure.ts';

/** A function, which bundlers can leave out. */
export const readOtherLanguages = (): readonly (readonly [type: FailureType, patterns: readonly string[]])[] => [
  [
    'rate_limit',
    [
      // Chinese.
      '超出(?:频率|速率|并发|请求)|(?:触发|正在|被)限流|限流中|qps ?超|并发数?(?:过多|超限|过高|已满)',
      '(?:请求|操作|发送|访问|调用)(?:太|过于|过)频繁',
      // Japanese.
      'レート制限|リクエストが多すぎ',
      // Korean.
      '늦춰|요청이 너무 많',
      // Russian and Ukrainian.
      'помедленн|слишком много запросов',
      // Vietnamese, Greek, Hindi, Thai, Arabic, Hebrew and Persian.
      'quá nhiều yêu cầu',
      // Languages with Latin letters.
      'usporite|ralenti|langsamer|ratenbegrenz|zu viele anfragen|trop de requêtes',
      'demasiadas (?:solicitudes|peticiones)|muitas (?:solicitações|requisições)|troppe richieste|çok fazla istek',
      'zbyt wiele żądań|te veel verzoeken',
    ],
  ],
  [
    'timeout',
    [
      // Chinese.
      '(?:网关|上游|api|ai)[^。]{0,4}超时|(?:请求|响应|连接|生成|接口|模型|读取|操作|服务)[^。]{0,4}超时|逾時',
      '超時',
      // Japanese.
      '時間切れ|タイムアウト',
      // Korean.
      '시간(?:이)? ?초과',
      // Russian and Ukrainian.
      'время ожидания[^.]{0,20}(?:истекло|вышло)|час очікування|превышено (?:время|ожидани)',
      // Vietnamese, Greek, Hindi, Thai, Arabic, Hebrew and Persian.
      'انتهت (?:ال)?مهلة|زمان[^.]{0,20}به پایان|หมดเวลา|hết thời gian|quá thời gian',
      // Languages with Latin letters.
      '(?:solicitud|petición) ha (?:expirado|caducado)|requête a expiré|expiration du délai',
      'tempo limite d[aeo] [^.]{0,20}(?:excedido|esgotado)|richiesta scaduta|waktu habis|časový limit|időtúllépés',
      'tidsgräns|tijdslimiet|time-?out (?:bij|van)|tiempo de espera|d[eé]lai dattente|délai dépassé',
      'zeitüberschreitung|tempo (?:limite )?(?:esgotado|excedido)|tempo scaduto|zaman ?aşımı',
      'przekroczono (?:limit )?czas',
    ],
  ],
  [
    'overloaded',
    [
      // Chinese.
      '熔断|太快[啦了]|休息一下|(?:等会儿?|稍等|过一?会儿?|待会儿?)再|负载已?经?(?:饱和|达到|过高|过大)',
      '(?:服务器?|系统|模型|上游|通道)[^。]{0,4}(?:繁忙|拥挤|过载|忙碌)|開小差|开小差|(?:排队|使用)人数过多',
      '伺服器(?:忙碌|繁忙)|混雑',
      // Japanese.
      'サービス[^。]{0,8}利用できません|混み合って',
      // Korean.
      '일시적으로 사용할 수 없|혼잡|과부하',
      // Russian and Ukrainian.
      'временно недоступ|перевантажен|перегружен',
      // Vietnamese, Greek, Hindi, Thai, Arabic, Hebrew and Persian.
      'tạm thời không|مشغول|quá tải',
      // Languages with Latin letters.
      'no está disponible (?:temporalmente|en este momento)|(?:temporairement|momentanément) indisponible',
      '(?:vorübergehend|derzeit) nicht (?:verfügbar|erreichbar)|temporariamente indispon',
      'temporaneamente non disponibil|tijdelijk niet beschikbaar|tymczasowo niedostępn',
      'geçici olarak kullanılamıyor|přetížen|túlterhelt|överbelastad|sobrecargad|surchargé|überlastet|sovraccaric',
      'aşırı yük',
    ],
  ],
  [
    'connection_error',
    [
      // Chinese.
      '(?:无法|未能|不能)连接[到至]?[^。]{0,8}(?:服务|模型|接口|api|网络)|無法連接|連線(?:失敗|錯誤|中斷)',
      '(?:連接|連線)被|连接不到|强迫关闭|积极拒绝|网络请求失败|没有收到你的消息',
      '网络(?:异常|错误|不稳定|中断|连接(?:失败|异常|错误|中断))',
      '(?:连接|链接)(?:被|已)?(?:中断|断开|重置|关闭|异常|丢失)|無法連線|網路(?:錯誤|異常)',
      // Japanese.
      'サーバー[^。]{0,4}接続でき|接続できません|通信エラー|ネットワーク(?:エラー|に接続)',
      '接続(?:エラー|が切|に失敗)',
      // Korean.
      '연결할 수 없|연결 실패|네트워크 ?(?:오류|에러)|연결(?:이)? ?(?:끊|실패|오류)',
      // Russian and Ukrainian.
      'не удалось (?:подключиться|соединиться|установить соединение)|помилка (?:мережі|зєднання)',
      'сетев(?:ая|ой) (?:ошибк|сбо)|соединение (?:разорвано|потеряно|прервано)',
      // Vietnamese, Greek, Hindi, Thai, Arabic, Hebrew and Persian.
      'không thể kết nối|خطای (?:اتصال|شبکه)|خطأ في (?:الاتصال|الشبكة)|فشل الاتصال|שגיאת רשת|नेटवर्क त्रुटि',
      'σφάλμα δικτύου|lỗi (?:mạng|kết nối)',
      // Languages with Latin letters.
      'keine verbindung|verbindung (?:zum|zur|mit)[^.]{0,24}(?:fehlgeschlagen|verloren|nicht)',
      'impossibile connetter|geen verbinding|nie można połączyć|bağlan[ıa]{1,2}lamadı|kesalahan jaringan',
      'chyba (?:sítě|připojení)|eroare de rețea|hálózati hiba|nätverksfel|netværksfejl|nettverksfeil|verkkovirhe',
      'netwerkfout|napaka omrežja',
      '(?:conectar|connecter|collegarsi|verbinden) (?:con el|con o|au|al|ao|mit dem) serv(?:idor|eur|er)',
      '(?:error|fallo|problema) de (?:red|conexi[oó]n)|erreur de (?:réseau|connexion)',
      '(?:verbindung|netzwerk)s?(?: ist)? ?(?:fehlgeschlagen|fehler|verloren|unterbrochen|abgebrochen)',
      'erro de (?:rede|conexão)|errore di (?:rete|connessione)|(?:ağ|bağlantı) hatası|błąd (?:sieci|połączenia)',
    ],
  ],
  [
    'stream_interrupted',
    [
      // Chinese.
      '(?:会话|會話|回复)[^。]{0,6}中[断斷]',
      '(?:流式?|响应|输出|生成)[^。]{0,6}(?:中断|被打断|意外结束|异常终止|提前结束)',
      // Japanese.
      'セッション[^。]{0,10}中断|(?:応答|生成)が(?:中断|途切)',
      // Korean.
      '세션[^.]{0,12}중단|(?:응답|스트림)(?:이)? ?(?:중단|끊)',
      // Several languages.
      '(?:sessão|sessione|session|sesión|sitzung|сессия|sesja|sessie|phiên|oturum|geração|génération|generación|generierung|генерация)[^.]{0,40}(?:interromp|interrump|interrotta|unterbrochen|прерван|przerwan|onderbroken|gián đoạn|kesildi)',
    ],
  ],
  [
    'server_error',
    [
      // Chinese.
      '(?:产生|產生|生成)[^。]{0,6}[时時]发生错误|服务出了|出了(?:一?点)?小?(?:问题|差错)|api ?返回空',
      '(?:未能?|没有|沒有)(?:获取?|收到|得到|获得)[到了]?[^。]{0,6}(?:回复|回應|回应|响应|返回|答复)',
      'api ?(?:调用|请求)[^。]{0,4}(?:异常|失败|出错)|请再问(?:我)?一次|系统(?:异常|错误|故障|內部)',
      '(?:服务器|模型|接口|ai)[^。]{0,2}未返回|未收到[^。]{0,6}(?:回复|响应|返回)',
      '(?:模型|ai|llm|gpt)[^。]{0,4}返回[^。]{0,10}格式(?:错误|不正确|异常)',
      '(?:对话|会话|服务)[^。]{0,4}出现(?:了)?(?:异常|问题|错误)|^(?:生成|回复)失败$|连接[^。]{0,16}服务失败',
      '模型输出格式错误|调用 ?(?:ai|llm|大?模型)[^。]{0,6}失败|解析不合常规|错误[:： ]{1,2}(?:50[0234]|52\\d)',
      '再試行|重試|稍後|重试|再试|稍候|重新(?:生成|发送|提问|提交|尝试|回答|请求|發送)',
      '(?:模型|ai|llm|gpt)[^。]{0,10}(?:不是|并非)[^。]{0,6}json|解析[^。]{0,6}(?:模型|ai|llm)[^。]{0,8}失败',
      '(?:请求|響應|响应|回應|模型|接口|对话|ai|gpt|回复|回答|上游|网关|网络|伺服器|网页)[^。，,:：\\n]{0,6}(?:失败|失敗|错误|錯誤|异常|異常|出错|出錯|中断|不可用|断开|无响应|無回應)',
      '(?:服务(?:器|端)?|接口|上游|伺服器)[^。]{0,4}(?:请求失败|异常|内部错误|出错|故障|错误|报错|暂?不可用|錯誤)',
      '(?:返回|收到|获得)[^。]{0,6}(?:空响应|空回复|为空|空内容)',
      '(?:读取|解析|获取|接收)[^。]{0,8}(?:响应|回复|流|返回结果|返回内容|输出)[^。]{0,4}(?:失败|出错|错误|异常)',
      '(?:请求|调用|生成|回复|处理|翻译|总结)(?:时)?(?:出错|失败|异常|错误)了?[，,。！!]? ?请?(?:稍后|重新|再次)?(?:重试|再试|尝试)',
      '(?:模型|ai|llm|大模型)[^。]{0,8}(?:请求|调用|生成|响应|服务)[^。]{0,4}(?:失败|出错|异常|错误)',
      '(?:返回|响应)(?:内容|结果)?为空',
      // Japanese.
      '再度お試し|時間をおいて|(?:応答|回答|生成|リクエスト|通信|処理)[^。]{0,8}エラーが発生|リトライ|やり直し',
      'サーバー?(?:エラー|に問題)|応答(?:が|は)(?:ありません|空|得られ)',
      '(?:回答|応答|生成)(?:の(?:生成|取得))?に失敗|エラーが発生しました.{0,20}(?:再度|もう一度|後で)',
      // Korean.
      '응답 생성에 실패|응답 없음|다시 시도|오류가 발생|재시도|잠시 후|서버 ?(?:오류|에러)',
      '응답(?:이|을)? ?(?:없|비어|받지 못|생성하지 못)',
      // Russian and Ukrainian.
      'ответ не получен|нет ответа|попробуйте (?:ещ[её] раз|снова|позже|повторить)|повторите попытку|спробуйте',
      'помилка сервера|ошибка (?:на )?сервер|внутренняя ошибка|модель не (?:ответ|верн|отвеч)|нет ответа от',
      'не удалось получить ответ',
      // Vietnamese, Greek, Hindi, Thai, Arabic, Hebrew and Persian.
      'lỗi khi (?:tạo|xử lý|gọi)|thử lại|مرة أخرى|إعادة المحاولة|أعد المحاولة|دوباره|مجدد|נסה שוב|पुनः प्रयास',
      'ลองใหม่|ลองอีกครั้ง|δοκιμάστε|προσπαθήστε|خطأ في الخادم|خطای سرور|שגיאת שרת|सर्वर त्रुटि|σφάλμα διακομιστή',
      'lỗi máy chủ',
      // Languages with Latin letters.
      'błąd podczas|oluşturulurken hata|le modèle na retourné',
      'no se (?:devolvió|recibió|obtuvo|generó)[a-z ]{0,12} respuesta|aucune réponse|keine antwort',
      'nenhuma resposta|nessuna risposta|geen antwoord|antwort ist ein fehler|int[eé]nt[ae]lo de nuevo',
      'vuelv[ae] a intentar|veuillez réessayer|réessayez|versuche(?:n sie)? es|erneut versuchen|tente novamente',
      'riprova|tekrar dene|coba lagi|cuba lagi|zkuste|reîncercați|încercați din nou|próbálja|próbáld|försök igen',
      'prøv igjen|prøv igen|prøv på nytt|yritä uudelleen|poskusite|pokušajte|kesalahan server|chyba serveru',
      'eroare de server|szerverhiba|serverfel|serverfejl|palvelinvirhe|opnieuw|spróbuj ponownie',
      '(?:error|fallo)(?: interno)? del servidor|el modelo no (?:respond|devolv|gener)',
      'erreur (?:interne )?du serveur|le modèle na (?:pas|rien)|server ?fehler|interner fehler',
      'das modell hat (?:nicht|keine)|erro (?:interno )?(?:no|do) servidor',
      '(?:obter|gerar) (?:uma )?resposta (?:do|da) (?:modelo|ia|api)|o modelo não (?:respond|retorn)',
      'errore (?:interno )?del server|il modello non ha|sunucu hatası|model yanıt vermedi|mô hình không',
      'błąd serwera|serverfout',
      // Several languages.
      '(?:error|erreur|fehler|ошибка|erro|errore|fout) [^.。]{0,40}(?:respuesta|r[ée]ponse|antwort|ответа|resposta|risposta|antwoord|mensaje|solicitud|mensagem|solicitação|pedido|demande|requête|anfrage|nachricht|запроса|сообщения|messaggio|richiesta|bericht|verzoek)',
    ],
  ],
];

/** What refuses, or asks for a change. */
export const readRefused = (): readonly string[] => [
  // Chinese.
  '不支持|请求(?:体|参数)?格式|无效|不合法|非法|错误的(?!网关)|有误|不存在|找不到(?!服务器|指定)|次数|需要|地区',
  '版本[过太]|[太过]大|封禁|未(?:选择?|找到|提供|设置|配置|授权|登录|启用|指定|绑定)|没有(?:权限|找到|配置|可用)',
  '无权|余额|额度|配额|欠费|充值|套餐|过期|权限|登录|认证|鉴权|密钥|令牌|参数|过长|超出(?!频率|速率|并发|请求)',
  '超过|地址(?:错误|有误|不正确)|违规|敏感|审核|拒绝|禁[止用]',
  '请(?:先|检查(?!您?的?网络)|确认|配置|设置|选择|输入|填写|更换|切换|联系|升级)|无可用(?!渠道)|無効|認証|権限',
  '設定|残高|上限|不支援|無效|無權|餘額|額度|設置|設定|登入|金鑰|密鑰|過期|拒絕|不存在|未找到|請檢查|超出|上限',
  // Japanese.
  '見つかりません|クォータ|キー|(?:モデル|機能|プラン)[^。]{0,8}利用できません',
  // Korean.
  '유효하지|찾을 수 없|인증|권한|설정|할당량|한도|키를|올바르지|부족',
  '\\d ?(?:小时|小時|時間|시간|天|日)[ 之]?(?:后|後|뒤|후)',
  // Russian and Ukrainian.
  'неверн|недействит|не найден|недостаточно|ключ|квот|баланс|лимит|настройк|проверьте|баланс',
  // Vietnamese, Greek, Hindi, Thai, Arabic, Hebrew and Persian.
  'không hợp lệ|không tìm thấy|مفتاح|رصيد|حصة|کلید|אסימון|מפתח|कुंजी|คีย์|κλειδί|hạn mức',
  // Languages with Latin letters.
  'inv[aá]lid|no (?:es )?v[aá]lid|no encontrad|não encontrad|introuvable|non valide|ungültig|nicht gefunden',
  'bulunamadı|geçersiz|permiso|permissão|kontingent|guthaben|schlüssel|konfigur|einstellung|cuota|saldo|crédito',
  'clave|configur|(?<!tiempo )límite de|cota|chave|(?<!tempo )limite d|quota|clé|solde|paramètr|chiave|crediti',
  'anahtar|kota|kunci|klíč|cheie|kulcs|nyckel|nøgle|nøkkel|avain|ključ|khóa|klucz|erhöhen|tokens? limit|autoris',
  'autoriz|berechtig',
  // Several languages.
  '(?:za|en|em|dans|in|через|tra|om|sau) \\d{1,3} (?:godzin|hor[ae]s|heure|stunde|час|ore\\b|uur|giờ|dni|d[ií]as|jours|tage|дн|giorni)',
];
