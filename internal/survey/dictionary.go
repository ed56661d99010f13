package survey

import (
	"strconv"
	"strings"
)

// dictionary has the names of fields by role, each with a weight from 1 to 100: how sure the name alone makes one.
// The words are joined without a separator, so that starttime, start_time and startTime are one.
type dictionary [roles]map[string]int

// newDictionary reads the lists below. They are from the published formats of proxies, stores, caches and public traces.
func newDictionary() dictionary {
	var d dictionary
	for r := range role(roles) {
		d[r] = map[string]int{}
		for list := range strings.SplitSeq(namesOf(r), ";") {
			weight, phrases, _ := strings.Cut(strings.TrimSpace(list), " ")
			n, err := strconv.Atoi(weight)
			if err != nil {
				continue // the empty list behind the last semicolon
			}
			for phrase := range strings.SplitSeq(phrases, ",") {
				d[r][strings.ReplaceAll(phrase, " ", "")] = n
			}
		}
	}
	return d
}

// namesOf has the phrases of a role: "weight phrase,phrase; weight ...".
func namesOf(r role) string {
	switch r {
	case roleTime:
		return `100 ts,timestamp,time stamp,datetime,date time,event time,time iso8601,start time,unix time,epoch;
			95 time,op time,event timestamp,request timestamp,log time;
			80 date,msec,request start,started at,occurred at; 70 created at,logged at,at,created; 60 when,clock,t,request time;
			50 received at,ingest time,ingested at,arrival time,write time`
	case roleTenant:
		return `100 tenant; 95 customer,account,org,organization,organisation; 92 workspace,usecase,subscription;
			88 project,company,merchant,api key; 85 shop,user,username,namespace; 80 team,partner,publisher; 75 store,site,wiki,owner,actor,app,uid,realm;
			65 application,bucket,client,author,editor,member,keyspace; 60 remote addr,remote address,client ip,client addr,client address,remote ip,source ip,src ip,database,db;
			55 downstream remote address,ip,vhost,virtual host; 45 host,domain,group`
	case roleKey:
		return `100 key,cache key,row key,partition key,shard key,object key,hash key,routing key,redis key;
			95 pk,primary key,request uri,sharding key; 90 uri path,request path,url path; 85 path,uri,url,object;
			80 item,doc,document,resource,original uri; 78 block,entity,product,sku,page,row; 72 title,k,article,video,blob,chunk; 70 file,file name,repo,repository;
			60 channel,topic,post,thread,message; 55 endpoint,session,domain,cart,order; 50 target,id,record; 45 name,route,query`
	case roleOp:
		return `100 op,operation,request method,http method,op type,operation type,request op; 95 method,verb,command,cmd;
			85 action,query type,request type,command name; 60 rpc,api,event type; 50 event,type,statement,call`
	case roleCount:
		return `100 weight,op count,request count,requests,req count,num requests,num ops,multiplicity,hit weight; 95 count,cnt,reqs;
			90 occurrences,event count,events; 60 hits,n,num,repeat,repeats,freq,frequency,total,ops`
	case roleRate:
		return `100 sample rate,sampling rate,sample probability,sampling probability,sample ratio,sampling ratio;
			95 rate,sampled rate; 85 probability,sampling,sample fraction;
			80 trace sample rate,trace sampling rate,traces every,trace every,trace one in,traces one in,sample every,sampled every,log every,logged every;
			80 one in,sample one in,sampled one in,sample interval,sampling interval,sample factor,sampling factor; 60 every,every nth`
	case roleShard:
		return `100 shard,shard number,shard no,shard num,shard index,partition,partition number,partition index,vshard,db shard;
			60 node,backend,upstream,upstream host,upstream addr,backend host,storage node; 55 server,broker,instance,db host,host,replica,slot`
	case roleCaller:
		return `100 caller,calling service,caller service,client service; 90 consumer,client app,client application,source service,source app; 80 requester,source workload`
	case roleBytes:
		return `100 bytes,bytes sent,body bytes sent,response bytes,response size,value size; 90 object size,io size,payload size,content length,item size,body size,resp size;
			80 size,length,sz`
	case roleLatency:
		return `100 latency,duration,response time,request time,elapsed,elapsed time,time taken,request duration; 90 service time,processing time,took,total time;
			70 rt,runtime,upstream response time`
	case roleStatus:
		return `100 status,status code,response code,http status,http code,http status code,response status; 80 return code,result code,code; 60 result,outcome`
	default:
		return ""
	}
}
