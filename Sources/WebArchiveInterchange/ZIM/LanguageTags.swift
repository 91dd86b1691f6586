// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The language tags (BCP 47) of the codes of ISO 639-3 that ZIM files have.
enum LanguageTags {
    /// Returns the tag of the first language of a list such as `eng,fra`: the shortest code (RFC 5646 section 2.2.1).
    ///
    /// - Returns: nil if the list is empty, or begins with another text than a tag.
    static func tag(ofFirstIn codes: String) -> String? {
        let names = codes.split(separator: ",").lazy.map { String($0.trimmingOptionalWhitespace) }
        guard let first = names.first(where: { !$0.isEmpty }), first.utf8.count <= maximumLength,
            first.utf8.allSatisfy({ byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"): true
                default: false
                }
            })
        else { return nil }
        return shortCodes[Substring(first.asciiLowercased)].map(String.init) ?? first
    }

    /// The length of tags that RFC 5646 section 4.4.1 requires.
    private static let maximumLength = 35

    private static let shortCodes = Dictionary(
        table.split(separator: " ").map { ($0.prefix(3), $0.dropFirst(4)) }, uniquingKeysWith: { first, _ in first })

    /// The codes of three letters with those of two letters (ISO 639-1), and the bibliographic codes of ISO 639-2.
    private static let table = """
        aar=aa abk=ab afr=af aka=ak alb=sq amh=am ara=ar arg=an arm=hy asm=as ava=av ave=ae aym=ay aze=az bak=ba \
        bam=bm baq=eu bel=be ben=bn bih=bh bis=bi bod=bo bos=bs bre=br bul=bg bur=my cat=ca ces=cs cha=ch che=ce \
        chi=zh chu=cu chv=cv cor=kw cos=co cre=cr cym=cy cze=cs dan=da deu=de div=dv dut=nl dzo=dz ell=el eng=en \
        epo=eo est=et eus=eu ewe=ee fao=fo fas=fa fij=fj fin=fi fra=fr fre=fr fry=fy ful=ff geo=ka ger=de gla=gd \
        gle=ga glg=gl glv=gv gre=el grn=gn guj=gu hat=ht hau=ha hbs=sh heb=he her=hz hin=hi hmo=ho hrv=hr hun=hu \
        hye=hy ibo=ig ice=is ido=io iii=ii iku=iu ile=ie ina=ia ind=id ipk=ik isl=is ita=it jav=jv jpn=ja kal=kl \
        kan=kn kas=ks kat=ka kau=kr kaz=kk khm=km kik=ki kin=rw kir=ky kom=kv kon=kg kor=ko kua=kj kur=ku lao=lo \
        lat=la lav=lv lim=li lin=ln lit=lt ltz=lb lub=lu lug=lg mac=mk mah=mh mal=ml mao=mi mar=mr may=ms mkd=mk \
        mlg=mg mlt=mt mon=mn mri=mi msa=ms mya=my nau=na nav=nv nbl=nr nde=nd ndo=ng nep=ne nld=nl nno=nn nob=nb \
        nor=no nya=ny oci=oc oji=oj ori=or orm=om oss=os pan=pa per=fa pli=pi pol=pl por=pt pus=ps que=qu roh=rm \
        ron=ro rum=ro run=rn rus=ru sag=sg san=sa sin=si slk=sk slo=sk slv=sl sme=se smo=sm sna=sn snd=sd som=so \
        sot=st spa=es sqi=sq srd=sc srp=sr ssw=ss sun=su swa=sw swe=sv tah=ty tam=ta tat=tt tel=te tgk=tg tgl=tl \
        tha=th tib=bo tir=ti ton=to tsn=tn tso=ts tuk=tk tur=tr twi=tw uig=ug ukr=uk urd=ur uzb=uz ven=ve vie=vi \
        vol=vo wel=cy wln=wa wol=wo xho=xh yid=yi yor=yo zha=za zho=zh zul=zu
        """
}
